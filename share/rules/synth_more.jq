# synth.jq for rows with rarer models (models.jq says why they are not there): the same functions, and other figures.

include "rows";
include "category";
include "models_more";

def default_op: registry_op;
def default_category: category_of;
def default_figures: more_figures;
def row_by(op; category; figures): row_of(op; category; figures; null);
def default_row: row_by(default_op; default_category; default_figures);
def default_device: device_of;
def default_is_comm: .name | test("nccl|rccl|cross_device_reduce"; "i");

def op: default_op;
def category: default_category;
def figures: default_figures;
def row: default_row;
def device: default_device;
def is_comm: default_is_comm;
