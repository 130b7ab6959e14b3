# Which kernels communicate: the one answer for tl-overlap (class communication, the timeline's comm_us), tl-synth (category
# collective, --no-comm), the reports (kind communication) and tl-reliability (spin_collective), which has a copy of this
# table in C: after a change here, `make comm` writes it anew.
#
# To change the answer, redefine `communicates` in a file given with --rules (README.md, "What communicates").
#
# What the kernel is called, without its arguments (words.jq), decides: it communicates when one of its words stands here
# as true, or begins or accompanies a phrase that does, and none says false.
include "words";

def comm_words:
{
# the libraries that move data between GPUs
"nccl": true, "ncclx": true, "pynccl": true, "rccl": true, "msccl": true, "mscclpp": true, "hccl": true, "xccl": true, "mccl": true,
"ccl": true, "oneccl": true, "one": {"one ccl": true}, "nvshmem": true, "nvshmemi": true, "nvshmemx": true, "rocshmem": true,
"ishmem": true, "deepep": true, "deep": {"deep ep": true}, "pplx": true, "mori": true, "mooncake": true, "uccl": true, "mnnvl": true,
"userbuffers": true, "userbuffer": true, "quickreduce": true, "quick": {"quick reduce": true}, "custom": {"custom ar": true},
"symm": {"symm mem": true, "symm memory": true}, "symmetric": {"symmetric memory": true}, "multimem": true,
"internode": true, "intranode": true, "inter": {"inter node": true}, "intra": {"intra node": true},

# the collectives
"all": {"all reduce": true, "all gather": true, "all gatherv": true, "all to all": true, "all to allv": true, "all 2 all": true},
"allreduce": true, "allgather": true, "allgatherv": true, "alltoall": true, "alltoallv": true,
"allto": {"allto all": true, "allto allv": true}, "a": {"a 2 a": true, "a 2 av": true},
"reduce": {"reduce scatter": true, "reduce scatterv": true}, "reducescatter": true, "cross": {"cross device reduce": true},
"sendrecv": true, "send": {"send recv": true}, "ar": {"ar fusion": true},

# one-shot and two-shot collectives that are called by their way to write
"oneshot": {"oneshot push": true, "oneshot pull": true, "oneshot lamport": true},
"twoshot": {"twoshot push": true, "twoshot pull": true, "twoshot lamport": true},
"shot": {"shot push": true, "shot pull": true, "shot lamport": true},

# expert parallelism: beside another word than "ep" these are local steps of a mixture of experts, and verbs
# (DispatchReduceByKey); DeepEP works its layout out on each rank alone
"dispatch": {"ep": true, "dispatch layout": false}, "combine": {"ep": true},

# blocks and warps reduce among their threads; Inductor's pointwise kernels list the operators around them
"block": {"block all reduce": false, "block allreduce": false}, "warp": {"warp all reduce": false, "warp allreduce": false},
"triton": {"triton poi": false, "triton red": false, "triton per": false, "triton for": false}
};

# {rules, name} -> whether a kernel of that name communicates. The reference rules have lists of their own.
def default_communicates: [head | found(comm_words)] | min == true;
def communicates: default_communicates;
