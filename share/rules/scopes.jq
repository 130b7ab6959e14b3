# Python scopes: which frames of a call stack say where a kernel comes from (tl-sourcemap).
# Every function gets an object with .rules ("default" or "reference"). Texts are canonical:
# `path(line): function` with the path made relative by the roots below. To change an answer, redefine
# roots, scope, lookup or aliases in a file given with --rules, for example
#
#     def scope: if .name | startswith("mycode/") then default_scope | .bonus += 50 else default_scope end;

# What paths are made relative to: [from, to], the first that occurs decides. `packages`: first cut
# behind the last site-packages/, dist-packages/ or lib/pythonX.Y/, so that one installed copy of a
# library reads as any other; `components`: "nano-vllm/" is not "vllm/".
def default_roots:
  (.rules != "reference") as $cured
  | { packages: $cured, components: $cured,
      roots: [ ["python/sglang/", "python/sglang/"], ["sgl_kernel/", "sgl_kernel/"], ["vllm/", "vllm/"],
               ["python/tokenspeed/", "python/tokenspeed/"], ["tokenspeed/", "tokenspeed/"],
               ["tensorrt_llm/", "tensorrt_llm/"], ["tensorrt-llm/", "tensorrt_llm/"],
               ["sglang/", "python/sglang/"] ] };
def roots: default_roots;

# Frames of the projects whose code people want to change: always meaningful.
def project_prefixes:
  ["python/sglang/", "sglang/", "vllm/", "python/tokenspeed/", "tokenspeed/", "tensorrt_llm/", "sgl_kernel/"];

# Frames that only pass a call on: event loops, servers, module dispatch.
def plumbing_prefixes:
  ["threading.py(", "selectors.py(", "contextlib.py(", "queue.py(", "logging/", "logging/__init__.py(",
   "socket.py(", "asyncio/", "concurrent/futures/", "tqdm/", "uvicorn/", "fastapi/", "starlette/", "http/",
   "torch/_ops.py(", "torch/nn/modules/module.py(", "torch/utils/_contextlib.py(", "torch/autograd/",
   "torch/_tensor.py(", "torch/distributed/", "torch/_dynamo/", "torch/_inductor/"]
  + if .rules == "reference" then []
    else ["runpy.py(", "multiprocessing/", "importlib/", "functools.py(", "subprocess.py(", "<string>(",
          "<frozen ", "torch/profiler/", "torch/_jit_internal.py(", "torch/overrides.py(",
          "torch/utils/_device.py(", "torch/_compile.py(", "torch/_C/",
          "torch/_functorch/", "torch/fx/", "triton/runtime/", "triton/backends/"] end;

# (jq's any takes twice as long.)
def starts_with_one($list): [first(select(startswith($list[])))] != [];
def has_one($list): [first(select(contains($list[])))] != [];

# Frames that wrap whatever they are given: they tell nothing, though they lie in project code.
def wrapper_files:
  ["model_executor/parameter.py", "model_executor/cuda_graph_runner.py", "compilation/cuda_graph.py",
   "pyexecutor/cuda_graph_runner.py", "pyexecutor/py_executor.py", "_torch/utils.py", "torch/fx/graph_module.py"]
  + if .rules == "reference" then []
    else ["utils/kernel_shape_profiler.py", "aiter/jit/core.py", "torch_guard.py", "torch/overrides.py"] end;

def wrapper_functions:
  if .rules == "reference" then []
  else ["wrapper", "_wrapper", "inner", "inner_fn", "wrapped", "wrapped_fn", "wrapped_func", "decorate_context"]
    | map("): " + .) end;

# .name
def low_signal:
  wrapper_files as $files
  | wrapper_functions as $functions
  | .name | ascii_downcase
  | has_one(["__torch_function__", "__torch_dispatch__", "__call__", "_call_impl", "_wrapped_call_impl"])
    or has_one([$files[] | . + "(", . + ":"])
    or [first(select(endswith($functions[])))] != [];

def no_scope: . == "" or startswith("<built-in method") or startswith("nn.Module:");

# .name -> 2 meaningful, 1 only when a stack has nothing better, 0 never
def scope_use:
  plumbing_prefixes as $plumbing
  | (.rules != "reference") as $notebook
  | .name
  | if no_scope then 0
    elif starts_with_one($plumbing) then
      if startswith("threading.py(") then 0 elif contains(".py(") then 1 else 0 end
    elif starts_with_one(project_prefixes) or contains(".py(") then 2
    elif $notebook and startswith("<ipython-input-") then 2
    elif startswith("python/") then 1
    else 0 end;

# What a frame is worth, beside its place in the chain (outermost 0, then 1, 2, ...): project code
# first; then, but not in the reference, what is not torch itself.
def project_bonus:
  if startswith("python/sglang/") then 50
  elif startswith("sglang/") then 48
  elif startswith("vllm/") then 46
  elif startswith("python/tokenspeed/") or startswith("tokenspeed/") then 45
  elif startswith("tensorrt_llm/") then 44
  elif startswith("sgl_kernel/") then 30
  else null end;

def scope_bonus:
  (.rules != "reference") as $cured
  | (if low_signal then 25 else 0 end) as $low
  | .name
  | (project_bonus
     // if contains(".py(") | not then (if $cured and startswith("<ipython-input-") then 10 else 0 end)
        elif $cured and startswith("torch/") then 2
        else 10 end)
    - (if contains("utils.py") and contains("__call__") then 15 else 0 end)
    - (if contains("scheduler_profiler_mixin.py") then 20 else 0 end)
    - $low;

# Which of two map entries that look alike is taken: the one whose scope has more.
def scope_priority:
  low_signal as $low
  | .name
  | (if startswith("python/sglang/") then 300
     elif startswith("sglang/") then 290
     elif startswith("vllm/") then 285
     elif startswith("python/tokenspeed/") or startswith("tokenspeed/") then 283
     elif startswith("tensorrt_llm/") then 280
     elif startswith("sgl_kernel/") then 260
     elif contains(".py(") then 120
     else 0 end) as $p
  | if $p > 0 and $low then $p - 80 else $p end;

# What tl-sourcemap asks, once per distinct frame.
def default_scope: {use: scope_use, bonus: scope_bonus, priority: scope_priority};
def scope: default_scope;

# Looking up a kernel of one run in the map of another when its name differs there. `least`: the
# shorter of two names that contain each other must have so many characters (F17: "k" is in
# everything) and be that share of the longer; `long`, `common`, `common_share`: two long mangled
# names match by their beginning; `same`: [beginning, bonus] of names whose beginning is telling.
def default_lookup:
  { long: 96, common: 64, common_share: 0.4, same: ["voidcutlassdevicekernelflash", 32] }
  + if .rules == "reference" then {least: 1, share: 0} else {least: 8, share: 0.5} end;
def lookup: default_lookup;

# .match: a kernel's name without punctuation, in lower case. Kernels that one run has and another
# calls differently: groups of tokens that may stand in a map entry's kernel, scope, chain or operator.
def default_aliases:
  .match
  | [ # the eager run shows the split-KV kernel of which the graph run has the combining half
      if contains("flashattnfwdcombine") then
        ["flashattnfwdsm90", "flashattnvarlenfunc", "vllmflashattnflashattninterface", "vllmfa3cfwd"] else empty end,
      # masked multi-head attention of TensorRT-LLM, found by who calls it
      if contains("kernelmha") then
        ["maskedmultiheadattentionkernel", "attentioninplace", "attentionbackendtrtllm"] else empty end,
      # RoPE fused with the KV-cache update, in an eager run fused with the norm of q and k instead
      if contains("applybiasropeupdatekvcachev2") then
        ["fusedqknormropekernel", "applyqknormrope", "modelingqwen3py98applyqknormrope"] else empty end,
      if startswith("memset") then ["memset"] else empty end ];
def aliases: default_aliases;
