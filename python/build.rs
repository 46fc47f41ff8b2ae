//! Links a module of Python outside of maturin: the interpreter has the symbols of Python.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
