# The files of arch/ by the names that drivers give the devices (the same names stand in those files).
def devices:
{
 "NVIDIA H100 80GB HBM3": "H100",
 "NVIDIA H100 PCIe": "H100-PCIe",
 "NVIDIA H200": "H200",
 "NVIDIA B200": "B200",
 "NVIDIA A100-SXM4-80GB": "A100",
 "A100-SXM4-80GB": "A100",
 "NVIDIA A100-SXM4-40GB": "A100-40GB",
 "A100-SXM4-40GB": "A100-40GB",
 "NVIDIA A100-PG509-200": "A100-40GB",
 "A100-PG509-200": "A100-40GB",
 "AMD Instinct MI210": "MI210",
 "AMD Instinct MI250X": "MI250X",
 "AMD Instinct MI300X": "MI300X",
 "AMD Instinct MI300X VF": "MI300X",
 "AMD Instinct MI325X": "MI325X",
 "AMD Instinct MI325X VF": "MI325X",
 "AMD Instinct MI355X": "MI355X",
 "AMD Instinct MI355X VF": "MI355X"
};
