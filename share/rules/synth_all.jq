# synth.jq for runs with a --rules file: all models in one program, since such a file may build on any of them.

include "rows";
include "category";
include "models_all";

def default_op: registry_op;
def default_category: category_of;
def default_figures: figures_anywhere;
def row_by(op; category; figures): row_of(op; category; figures);
def default_row: row_by(default_op; default_category; default_figures);
def default_device: device_of;
def default_is_comm: .name | test("nccl|rccl|cross_device_reduce"; "i");

def op: default_op;
def category: default_category;
def figures: default_figures;
def row: default_row;
def device: default_device;
def is_comm: default_is_comm;
