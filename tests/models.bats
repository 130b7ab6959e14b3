#!/usr/bin/env bats
# The perf models, categories and devices of share/rules, asked by hand: what tl-synth adds is in tl-synth.bats.
load helper

rules=$root/share/rules

# ask MODULE EXPRESSION [QUESTION]... : what a function of share/rules answers to each question
ask() {
	local module=$1 expression=$2
	shift 2
	printf '%s\n' "$@" | jq -c -L "$rules" "include \"$module\"; $expression"
}

# question NAME DIMS TYPES CONCRETE [MORE]: a question as tl-synth puts it, default rules
question() {
	jq -nc --arg name "$1" --argjson d "$2" --argjson t "$3" --argjson c "$4" --argjson more "${5:-{\}}" \
		'{rules: "default", kind: "model", name: $name, input_dims: $d, input_types: $t, concrete_inputs: $c} + $more'
}

# answer QUESTION...: the whole answer about a row, from the module that knows it, as tl-synth gets it
answer() {
	local q sent
	for q in "$@"; do
		sent=$(ask synth 'try row catch .' "$q")
		if [ "$(jq '.module != null' <<<"$sent")" = true ]; then
			ask "$(jq -r .module <<<"$sent")" row "$(jq -c .question <<<"$sent")"
		else
			echo "$sent"
		fi
	done
}

# both NAME DIMS TYPES CONCRETE [MORE]: flops and bytes under the reference rules, then under the default ones
both() {
	local q
	q=$(question "$@")
	{ jq -c '.rules = "reference"' <<<"$q"; echo "$q"; } |
		jq -c -L "$rules" "include \"rows\"; include \"models_all\"; . + {model: registry_op.model} | figures | [(.gflops | if . then . * 1e12 | round / 1e3 else . end), .bytes]"
}

# by_hand FILE: every line's flops and bytes, which were worked out by hand (by_hand says how), are what the model says
by_hand() {
	jq -c -L "$rules" 'include "models_all";
		. as $line
		| {rules: "default", kind: "model", name: "x"} + .question
		| (if .fwd then .fwd |= {rules: "default", name: "x"} + . else . end) | figures
		| [(if .gflops then .gflops * 1e9 else null end), .bytes] as $got
		| [$line.flops, $line.bytes] as $want
		| select([$got, $want] | transpose
			| all(.[0] == .[1] or (.[0] != null and .[1] != null and (.[0] - .[1] | fabs) <= 1e-12 * .[1])) | not)
		| {model: $line.model, got: $got, want: $want, by_hand: $line.by_hand}' "$fixtures/models/$1.ndjson"
}

@test "every model's figures are those worked out by hand" {
	for f in "$fixtures"/models/*.ndjson; do
		run -0 by_hand "$(basename "$f" .ndjson)"
		assert_output ''
	done
}

@test "every function has three shapes and a degenerate one that were worked out by hand" {
	run -0 jq -rn -L "$rules" 'include "models_table";
		[inputs | {f: (tables.models[.model] | if . == null then error else . end
			| .f), backward: (.question.kind == "backward" and .question.fwd != null), degenerate}] | group_by(.f)
		| map({(.[0].f): [(map(select(.degenerate | not)) | length), (map(select(.degenerate)) | length)]}) | add as $tested
		| [tables.models[].f] | unique[] | select($tested[.] == null or $tested[.][0] < 3 or $tested[.][1] < 1)' \
		"$fixtures"/models/*.ndjson
	assert_output ''
}

@test "every name in the registry and the further names has a model of the table, and every model a function" {
	run -0 jq -rn -L "$rules" 'include "models_table"; include "ops";
		(operators[] | .[1] | select(. != null)), (further_operators[] | .[0]) | select(tables.models[.] == null)'
	# these have no figures: what they do cannot be seen from their arguments
	run -0 sort -u <<<"$output"
	assert_output "$(printf '%s\n' aiter_fused_dynamic_mxfp4_quant_moe_sort_hip aiter_fused_qk_rope_cat_and_cache_mla \
		fused_dynamic_mx_quant_moe_sort_hip fused_qk_rope_concat_and_cache_mla mhc_fused_post_pre_gemm_sqrsum mhc_post \
		mhc_pre_big_fuse_rmsnorm mhc_pre_gemm_sqrsum sglang_fused_append_shared_experts)"
	run -0 jq -rn -L "$rules" 'include "models_table"; [tables.models[] | .f, .in_backward.f | values] | unique[]'
	for f in "${lines[@]}"; do
		grep -q "^def $f:" "$rules"/models_*.jq
		grep -q "\"$f\" then $f\$" "$rules"/synth*.jq
	done
}

@test "what a model cannot know is left out, never 0" {
	run -0 ask models_all figures "$(question aten::mm '[[2,3],[3,4]]' '["quux","quux"]' '["",""]' '{"model":"aten_mm"}')"
	assert_output '{"gflops":4.8e-08,"unit":"matrix","params":{"b":1,"m":2,"n":4,"k":3}}'
	for dims in '[]' '[[2,3]]' '[["2",3],[3,4]]' '[[2,3],[3,null]]' '{"a":1}' 'null' '"x"' '[[2,3],{}]' '[[[2,3]],[[3,4]]]' '[2,3]'; do
		run -0 ask models_all figures "$(question aten::mm "$dims" '["float","float"]' '["",""]' '{"model":"aten_mm"}')"
		assert_output '{}'
	done
	run -0 ask models_all figures '{"rules":"default","kind":"model","name":"aten::mm","model":"aten_mm"}' '{"model":"no_such_model"}' '{}'
	assert_output "$(printf '{}\n{}\n{}')"
}

@test "no question makes a model fail" {
	jq -rn -L "$rules" 'include "models_table"; tables.models | keys[]' | while read -r model; do
		for dims in '[]' '[[]]' '[[0]]' '[[1],[1],[1],[1]]' '[[2,2],[2,2],[2,2]]' '[[2,2,2,2],[2,2,2,2],[2,2,2,2]]' '[[[1]],[[1]]]' 'null'; do
			for kind in model backward; do
				printf '{"rules":"default","kind":"%s","name":"aten::x","model":"%s","input_dims":%s,"input_types":["float",null,3],"concrete_inputs":["",null,3,"[","x"],"fwd":{"rules":"default","name":"y","input_dims":%s}}\n' \
					$kind "$model" "$dims" "$dims"
			done
		done
	done >"$T/in"
	run -0 --separate-stderr jq -c -L "$rules" 'include "models_all"; [figures] | length' "$T/in"
	assert_equal "$(sort -u <<<"$output")" 1
	assert_equal "${#lines[@]}" "$(wc -l <"$T/in")"
	assert_equal "$stderr" ''
}

@test "precision and unit choose the device's peak; float products are measured against TF32 or XF32" {
	peaks() { answer "$@" | jq -c --argjson arch "$(jq -c . "$rules/arch/MI300X.json")" '[.precision, .unit, $arch[.unit][.precision // "-"]]'; }
	run -0 peaks "$(question aten::mm '[[2,3],[3,4]]' '["float","float"]' '["",""]' '{"model":"aten_mm"}')" \
		"$(question aten::mm '[[2,3],[3,4]]' '["c10::BFloat16","c10::BFloat16"]' '["",""]' '{"model":"aten_mm"}')" \
		"$(question aten::neg '[[2,3]]' '["float"]' '[""]' '{"model":"aten_unary_elementwise"}')" \
		"$(question aten::neg '[[2,3]]' '["long int"]' '[""]' '{"model":"aten_unary_elementwise"}')"
	assert_output "$(printf '%s\n' '["fp32","matrix",653.7]' '["bf16","matrix",1307.4]' '["fp32","vector",163.4]' '[null,"vector",null]')"
	run -0 peaks "$(question aten::_scaled_mm '[[2,3],[3,4]]' '["c10::Float8_e4m3fnuz","c10::Float8_e4m3fnuz"]' '["",""]' '{"model":"aten_scaled_mm"}')"
	assert_output '["fp8","matrix",2614.9]'
}

# ---- faults of the reference that the default rules cure: first the reference's answer, then the default's

@test "cured: the bias of a convolution counts (F13)" {
	dims='[[1,3,8,8],[4,3,3,3],[4],[],[],[],[],[],[]]'
	types='["float","float","float","ScalarList","ScalarList","ScalarList","Scalar","ScalarList","Scalar"]'
	run -0 both aten::convolution "$dims" "$types" '["","","","[1, 1]","[0, 0]","[1, 1]","False","[0, 0]","1"]'
	assert_output "$(printf '[7776,1776]\n[7920,1792]')" # + 4 x 36 sums, + 4 floats
}

@test "cured: causal attention with two lengths has figures (F14)" {
	dims='[[1,10,2,4],[1,30,2,4],[1,30,2,4]]'
	types='["c10::BFloat16","c10::BFloat16","c10::BFloat16"]'
	run -0 both flash_attn::_flash_attn_forward "$dims" "$types" '["","","","0.","","True"]'
	# 2 x 2 x 10 x 30 x 8 = 9600; the mask ends at the bottom right: 1 - 10/60 of the scores
	assert_output "$(printf '[null,null]\n[8000,1280]')"
	run -0 both flash_attn::_flash_attn_forward '[[1,30,2,4],[1,10,2,4],[1,10,2,4]]' "$types" '["","","","0.","","True"]'
	assert_output "$(printf '[null,null]\n[1600,1280]')" # 10/60
	types='["float","float","float","","","",""]'
	run -0 both aten::_scaled_dot_product_efficient_attention '[[1,2,10,4],[1,2,30,4],[1,2,30,4],[],[],[],[]]' "$types" '["","","","","","","True"]'
	assert_output "$(printf '[null,null]\n[1600,2560]')" # it starts at the top left: 10/60
	run -0 both aten::_scaled_dot_product_efficient_attention '[[1,2,30,4],[1,2,10,4],[1,2,10,4],[],[],[],[]]' "$types" '["","","","","","","True"]'
	assert_output "$(printf '[null,null]\n[8000,2560]')"
}

@test "cured: attention's elements have the size of their type (F15)" {
	run -0 both flash_attn::_flash_attn_forward '[[2,8,2,4],[2,8,2,4],[2,8,2,4]]' '["float","float","float"]' '["","","","0.","","False"]'
	assert_output "$(printf '[4096,1024]\n[4096,2048]')"
}

@test "cured: a reduction's result has the size that its dimensions leave (F16)" {
	run -0 both aten::mean '[[16,559,1024],[],[],[]]' '["float","ScalarList","Scalar",""]' '["","[-1]","True",""]'
	assert_output "$(printf '[9158656,36634628]\n[9158656,36670400]')"
	run -0 both aten::max '[[4,5],[],[]]' '["float","Scalar","Scalar"]' '["","1","False"]'
	assert_output "$(printf '[20,84]\n[20,128]')"
	run -0 both aten::min '[[4,4],[4,4]]' '["long int","long int"]' '["",""]'
	assert_output "$(printf '[16,136]\n[16,384]')" # of two tensors: no reduction at all
}

@test "cured: the training flag of a norm is read, and whether it has a weight and a bias (F17)" {
	types='["float","float","float","float","float","Scalar"]'
	run -0 both aten::batch_norm '[[2,3,4],[3],[3],[3],[3],[]]' "$types" '["","","","","","False"]'
	assert_output "$(printf '[138,264]\n[66,240]')" # 6 x 3 + 2 x 24 without 3 x 24; 2 x 3 floats less
	run -0 both aten::batch_norm '[[2,3,4],[],[],[3],[3],[]]' "$types" '["","","","","","True"]'
	assert_output "$(printf '[138,264]\n[138,240]')"
	run -0 both aten::native_batch_norm_backward '[[2,3,4],[2,3,4]]' '["float","float"]' '["","","","","","","","False","","[True, True, True]"]'
	assert_output "$(printf '[216,336]\n[105,204]')"
}

@test "cured: only the gradients that the mask names are counted" {
	dims='[[1,4,8,8],[1,3,8,8],[4,3,3,3],[],[],[],[],[],[],[],[]]'
	types='["float","float","float","ScalarList","ScalarList","ScalarList","ScalarList","Scalar","ScalarList","Scalar","ScalarList"]'
	run -0 both aten::convolution_backward "$dims" "$types" '["","","","[4]","[1, 1]","[1, 1]","[1, 1]","False","[0, 0]","1","[False, True, True]"]'
	assert_output "$(printf '[27648,4448]\n[14080,3264]')" # one product and the bias's 256 sums
}

@test "cured: a transposed convolution in groups has all its channels" {
	run -0 both aten::convolution '[[1,4,5,5],[4,3,3,3],[],[],[],[],[],[],[]]' '["float","float","","","","","","",""]' \
		'["","","","[1, 1]","[0, 0]","[1, 1]","True","[0, 0]","2"]'
	assert_output "$(printf '[5400,1420]\n[5400,2008]')"
}

@test "cured: Triton's operands of every type have a size" {
	run -0 both triton_poi_fused_add_0 '[[10],[10],[]]' '["float","bool","Scalar"]' '["","","10"]'
	assert_output "$(printf '[10,0]\n[10,90]')"
}

@test "cured: booleans have a size, a resize by a scale too" {
	run -0 both aten::copy_ '[[8],[8],[]]' '["bool","bool","Scalar"]' '["","","True"]'
	assert_output "$(printf '[8,null]\n[8,16]')"
	run -0 both aten::upsample_nearest2d '[[1,2,4,4],[],[]]' '["float","","ScalarList"]' '["","","[2., 2.]"]'
	assert_output "$(printf '[null,null]\n[128,640]')"
}

@test "cured: a batch of equal sequences needs no annotation" {
	run -0 both aiter::mha_batch_prefill '[[30,4,8],[99,2,8],[99,2,8],[4],[4],[40]]' '["c10::BFloat16","c10::BFloat16","c10::BFloat16"]' \
		'["","","","","","","10","10","0.","","0.","False","True"]'
	assert_output "$(printf '[null,null]\n[19200,5760]')"
}

@test "where the reference is right the default rules say the same" {
	run -0 jq -c -L "$rules" 'include "rows"; include "models_all";
		select(.degenerate == null) | {rules: "default", kind: "model", name: "x"} + .question
		| select(.model | test("^aten_(mm|addmm|bmm|baddbmm|unary|binary)|^LayerNorm$|rmsnorm"))
		| select([.input_types[] == "bool"] | any | not)
		| [figures, (.rules = "reference" | figures)] | select(.[0] != .[1])' "$fixtures"/models/{gemm,unary,binary,rms_norm}.ndjson
	assert_output ''
}

# ---- categories

@test "kernel names are matched word by word" {
	category() { ask synth category "$(jq -nc --arg n "$1" '{rules: "default", kernels: [$n]}')"; }
	while IFS='|' read -r want name; do
		run -0 category "$name"
		assert_output "$want"
	done <<-'END'
		"GEMM"|ampere_sgemm_32x128_tn
		"GEMM"|void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(Params)
		"GEMM"|nvjet_tst_64x64_64x16_2x1_2cta_v_bz_bias_TNT
		"GEMM"|Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x192x64_MI16x16x1
		"GEMM"|void DeviceGemmXdl<float>
		"GEMM"|sm80_xmma_gemm_f16f16
		"other"|gemma_forward_kernel
		"other"|void gemma3::decoder_layer<float>
		"other"|decoder_kernel
		"other"|flashlight_kernel
		"other"|renorms
		"SDPA_fwd"|void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128>>
		"SDPA_bwd"|void flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<float>
		"SDPA_fwd"|fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausal
		"collective"|ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)
		"collective"|void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>
		"collective"|AllReduceKernel
		"reduce"|void small_reduce_kernel<float>
		"reduce"|void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>
		"elementwise"|void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>
		"multi_tensor_apply"|void at::native::(anonymous namespace)::multi_tensor_apply_kernel<TensorListMetadata<2>>
		"RMSNorm"|_ZN7ck_tile6kentryILi1ENS_12Rmsnorm2dFwdINS_27Rmsnorm2dFwdPipelineOnePassI
		"NORM_bwd"|void at::native::batch_norm_backward_kernel<float>
		"NORM_fwd"|void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>
		"CONV_bwd"|igemm_wrw_gtcx2_nhwc_bf16
		"memcpy"|Memcpy HtoD (Pinned -> Device)
		"triton"|triton_poi_fused_add_moe_0
		"other"|my_kernel
		"other"|
	END
}

@test "a row's category is its operator's, else that of its longest kernel that has one" {
	row() { ask synth '[try row catch .question][0].category' "$(jq -nc --arg name "$1" --arg rules "$2" --argjson k "$3" '{rules: $rules, kind: "leaf", name: $name, kernels: $k}')"; }
	run -0 row aten::mm default '["elementwise_kernel"]'
	assert_output '"GEMM"'
	run -0 row my::op default '["my_kernel","ampere_sgemm_32x128_tn","elementwise_kernel"]'
	assert_output '"GEMM"'
	run -0 row my::op default '[]'
	assert_output '"other"'
	# the reference looks for three words in the names of PyTorch's own kernels
	run -0 row my::op reference '["void at::native::reduce_kernel<float>"]'
	assert_output '"reduce"'
	run -0 row my::op reference '["ampere_sgemm_32x128_tn"]'
	assert_output '"other"'
}

# ---- rows and devices

@test "further models give figures to leaf rows, and to no others, under the default rules alone" {
	row() { answer "$(question aten::sub '[[2],[2],[]]' '["float","float","Scalar"]' '["","","1"]' "$1")"; }
	run -0 row '{"kind":"leaf"}'
	assert_output --partial '"model":"aten_binary_elementwise","gflops":2e-09,"bytes":24'
	run -0 row '{"kind":"synthetic","name":"aten::sub->k (Synthetic Op)"}'
	assert_output '{"category":"other"}'
	run -0 row '{"kind":"leaf","rules":"reference"}'
	assert_output '{"category":"other"}'
}

@test "a row with a model is sent on to the module that knows it" {
	sent() { # QUESTION MODULE
		ask synth 'try row catch .' "$1" | jq -e --arg to "$2" 'select(.module == $to) | .question' | jq -c -L "$rules" "include \"$2\"; row"
	}
	run -0 answer "$(question _C::silu_and_mul '[[3,4],[3,8]]' '["float","float"]' '["",""]')"
	assert_output --partial '"category":"elementwise","model":"aiter_silu_and_mul","gflops":6e-08,"bytes":144'
	run -0 sent "$(question _C::rms_norm '[[],[3,4],[4]]' '["","float","float"]' '["",""]' '{"kind":"leaf"}')" synth_layers
	assert_output --partial '"category":"RMSNorm","model":"aiter_rmsnorm","gflops"'
	run -0 sent "$(question SlowConvBackward0 '[]' '[]' '[]' '{"kind":"backward","fwd":{"rules":"default","name":"aten::convolution","input_dims":[[1,3,8,8],[4,3,3,3]],"input_types":["float","float"],"concrete_inputs":["","","","[1, 1]","[1, 1]","[1, 1]","False","[0, 0]","1"]}}')" synth_conv
	assert_output --partial '"category":"CONV_bwd","model":"aten_conv","gflops":2.7648e-05'
	run -0 sent "$(question NativeBatchNormBackward0 '[]' '[]' '[]' '{"kind":"backward","fwd":{"rules":"default","name":"aten::native_batch_norm","input_dims":[[2,3,8,8],[3],[3]],"input_types":["float","float","float"],"concrete_inputs":["","","","","","True"]}}')" synth_layers
	assert_output --partial '"category":"NORM_bwd","model":"BatchNorm","gflops"'
	run -0 sent "$(question ScaledDotProductFlashAttentionBackward0 '[]' '[]' '[]' '{"kind":"backward","fwd":{"rules":"default","name":"aten::_scaled_dot_product_flash_attention","input_dims":[[2,4,8,16],[2,4,8,16],[2,4,8,16],[],[],[]],"input_types":["float","float","float","","",""],"concrete_inputs":["","","","0.","False","False"]}}')" synth_layers
	# 2 x 2 4 8 8 x (5 x 16) operations; 7 tensors of 2 4 8 16 floats
	assert_output --partial '"category":"SDPA_bwd","model":"aten__scaled_dot_product_flash_attention","gflops":8.192e-05,"bytes":28672'
}

@test "every function is in a module that knows it, and every module is asked for" {
	run -0 jq -rn -L "$rules" 'include "models_table"; tables.modules | to_entries[] | "\(.value) \(.key)"'
	for line in "${lines[@]}"; do
		grep -q "\"${line#* }\" then ${line#* }\$" "$rules/${line% *}.jq"
	done
	run -0 jq -rn -L "$rules" 'include "models_table"; [tables.models[] | .f, .in_backward.f | values | select(tables.modules[.] == null)] | unique[]'
	for f in "${lines[@]}"; do
		grep -q "\"$f\" then $f\$" "$rules/synth.jq"
	done
	for f in "$rules"/synth_*.jq; do
		jq -en -L "$rules" --arg f "$(basename "$f" .jq)" 'include "models_table"; any(tables.modules[]; . == $f)'
	done
}

@test "every device file says where its figures come from, and is found by its names" {
	run -0 jq -rn -L "$rules" 'include "devices"; [inputs | .devices[] as $d | {($d): (input_filename | sub(".*/"; "") | sub("\\.json$"; ""))}] | add as $files
		| if $files == devices then empty else {files: $files, devices: devices} end' "$rules"/arch/*.json
	assert_output ''
	for f in "$rules"/arch/*.json; do
		run -0 jq -r 'if (.source | length) > 20 and (.name | length) > 0 and .memory_tb_s > 1 and .memory_tb_s <= 8
			and all(.matrix.fp32, .matrix.bf16, .matrix.fp16, .matrix.fp64, .vector.fp32, .vector.fp64, .vector.bf16, .vector.fp16; . > 9)
			and .matrix.bf16 > .matrix.fp32 and .vector.fp32 <= .matrix.fp32 then "ok" else "no" end' "$f"
		assert_output ok
	done
	for name in H100 H100-PCIe H200 B200 A100 MI210 MI250X MI300X MI325X MI355X; do
		assert_file_exist "$rules/arch/$name.json"
	done
	run -0 ask synth device '{"name":"NVIDIA H100 80GB HBM3"}' '{"name":"AMD Instinct MI300X VF"}' '{"name":"NVIDIA H100"}' '{"name":""}'
	assert_output "$(printf '"H100"\n"MI300X"\nnull\nnull')"
}

@test "the worked example of share/rules/README.md does what it says" {
	awk '/^```jq$/ { on = 1; next } /^```$/ { on = 0 } on' "$rules/README.md" >"$T/my.jq"
	awk '/^```json$/ { on = 1; next } /^```$/ { on = 0 } on' "$rules/README.md" >"$T/t.json"
	want=$(awk '/^```ndjson$/ { on = 1; next } /^```$/ { on = 0 } on' "$rules/README.md")
	[ -n "$want" ]
	tl-extract "$T/t.json" | tl-tree | tl-synth -n --rules "$T/my.jq" >"$T/out"
	run -0 jq -c 'select(.type == "op") | {name, kind, category, model, gflops, bytes, tflops_s, bound}' "$T/out"
	assert_output "$want"
}

@test "no program of the rules is so long that compiling it takes much more than 30 ms" {
	instructions() { jq -n --debug-dump-disasm -L "$rules" "include \"$1\"; if . then $2 else 0 end" | wc -l; }
	n=$(instructions synth 'row, op, device, is_comm')
	[ "$n" -gt 100 ] && [ "$n" -lt 3700 ]
	for f in "$rules"/synth_*.jq; do
		n=$(instructions "$(basename "$f" .jq)" row)
		[ "$n" -gt 100 ] && [ "$n" -lt 3700 ]
	done
}

@test "five thousand questions cost no more than a second or two" {
	jq -c -n 'range(5000) | {rules: "default", kind: "model", name: "aten::mm", input_dims: [[. + 1, 64], [64, 128]], input_types: ["c10::BFloat16", "c10::BFloat16"], concrete_inputs: ["", ""]}' >"$T/in"
	run -0 timeout 30 jq -c -L "$rules" 'include "synth"; row.gflops | select(. > 0)' "$T/in"
	assert_equal "${#lines[@]}" 5000
}

# ---- reports

# rows: a trace of two GEMMs, a copy and an unknown operator on a known device, as tl-synth leaves it
rows() {
	local n=0 ops=() op
	for op in '"aten::mm"|[[128,256],[256,512]]|["c10::BFloat16","c10::BFloat16"]|10' '"aten::mm"|[[128,256],[256,512]]|["c10::BFloat16","c10::BFloat16"]|10' \
		'"aten::neg"|[[1000,1000]]|["float"]|5' '"my::op"|[[4]]|["float"]|1'; do
		IFS='|' read -r name dims types dur <<<"$op"
		ops+=("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":$name,\"pid\":1,\"tid\":1,\"ts\":$((n * 100)),\"dur\":20,\"args\":{\"Input Dims\":$dims,\"Input type\":$types}}"
			"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":$((n * 100 + 5)),\"dur\":4,\"args\":{\"correlation\":$((n + 7))}}"
			"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"some_kernel\",\"pid\":0,\"tid\":7,\"ts\":$((n * 100 + 12)),\"dur\":$dur,\"args\":{\"device\":0,\"stream\":7,\"correlation\":$((n + 7))}}")
		n=$((n + 1))
	done
	trace "${ops[@]}" | sed 's/^{/{"deviceProperties":[{"id":0,"name":"NVIDIA H100 80GB HBM3"}],/' | tl-extract | tl-tree | tl-synth -n
}

@test "reports on operators: their tables from a small trace" {
	rows >"$T/in"
	report() { tl-render -r "$1" -f csv "$T/in" | tr -d '\r'; }
	run -0 report gemm
	# 2 x 128 x 512 x 256 / 10 us; 458752 bytes / 10 us
	assert_output "$(printf '%s\n' 'operator,b,m,n,k,type,count,GPU us,share %,TFLOP/s,TB/s,bound,of roof %' \
		'aten::mm,1,128,512,256,bf16,2,20.000,76.9,3.36,0.046,memory,1.4')"
	run -0 report elementwise
	assert_line 'aten::neg,1000x1000,1,5.000,19.2,0.20,1.600,memory,47.8'
	run -0 report ops
	assert_equal "${#lines[@]}" 4
	assert_line 'my::op,other,leaf,4,1,1.000,3.8,,,,'
	run -0 report categories
	assert_output "$(printf '%s\n' 'category,operators,count,GPU us,share %,with figures %' 'GEMM,1,2,20.000,76.9,100.0' \
		'elementwise,1,1,5.000,19.2,100.0' 'other,1,1,1.000,3.8,0.0')"
	run -0 report roofline
	assert_line --index 1 --partial 'aten::mm,128x256 256x512,2,20.000,memory,'
	assert_line --index 2 --partial 'aten::neg,'
	run -0 tl-render -r attention "$T/in"
	assert_output --partial 'None in this trace.'
}

@test "reports on operators say what is missing" {
	trace | tl-extract >"$T/in"
	for report in ops gemm attention norm conv elementwise roofline categories; do
		run -0 tl-render -r "$report" "$T/in"
		assert_output --partial 'tl-synth has not run'
	done
	rows | sed '/deviceProperties/d; s/,"bound":.*}$/}/' >"$T/in"
	run -0 tl-render -r roofline "$T/in"
	assert_output --partial 'tl-synth --arch names a device'
}
