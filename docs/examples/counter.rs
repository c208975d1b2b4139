// counter.rs - a benchmark written in Rust against the C header: counts up. It has its own copy of
// the structs, cut after what it uses, as any plugin in another language would.
use std::ffi::c_void;
use std::os::raw::c_char;

#[repr(C)]
pub struct Module {
    size: u32,
    abi_major: u32,
    abi_minor: u32,
    n_plugins: u32,
    plugins: *const *const Plugin,
}

#[repr(C)]
pub struct Plugin {
    size: u32,
    kind: u32,
    id: *const c_char,
    version: *const c_char,
    summary: *const c_char,
    help: *const c_char,
    devices: *const c_char,
    options: *const c_void,
    n_options: u32,
    flags: u32,
    params_size: u64,
    ops: *const BenchOps,
}

#[repr(C)]
pub struct BenchOps {
    size: u32,
    flags: u32,
    create: extern "C" fn(*const c_void, *const c_void, *mut *mut c_void) -> i32,
    prepare: *const c_void,
    run: extern "C" fn(*mut c_void, *const c_void, u64) -> i32,
    reset: *const c_void,
    verify: *const c_void,
    work: *const c_void,
    destroy: extern "C" fn(*mut c_void),
}

extern "C" fn create(_host: *const c_void, _params: *const c_void, bench: *mut *mut c_void) -> i32 {
    unsafe { *bench = Box::into_raw(Box::new(0u64)).cast() };
    0
}

extern "C" fn run(bench: *mut c_void, _queue: *const c_void, iterations: u64) -> i32 {
    let counter = bench.cast::<u64>();
    for _ in 0..iterations {
        unsafe { counter.write_volatile(counter.read_volatile() + 1) };
    }
    0
}

extern "C" fn destroy(bench: *mut c_void) {
    drop(unsafe { Box::from_raw(bench.cast::<u64>()) });
}

struct Constant<T>(T);
unsafe impl<T> Sync for Constant<T> {}

static OPS: BenchOps = BenchOps {
    size: std::mem::size_of::<BenchOps>() as u32,
    flags: 0,
    create,
    prepare: std::ptr::null(),
    run,
    reset: std::ptr::null(),
    verify: std::ptr::null(),
    work: std::ptr::null(),
    destroy,
};
unsafe impl Sync for BenchOps {}

static PLUGIN: Constant<Plugin> = Constant(Plugin {
    size: std::mem::size_of::<Plugin>() as u32,
    kind: 1,
    id: b"counter\0".as_ptr().cast(),
    version: b"1.0\0".as_ptr().cast(),
    summary: b"counts up, written in Rust\0".as_ptr().cast(),
    help: std::ptr::null(),
    devices: std::ptr::null(),
    options: std::ptr::null(),
    n_options: 0,
    flags: 0,
    params_size: 0,
    ops: &OPS,
});

static PLUGINS: Constant<[*const Plugin; 1]> = Constant([&PLUGIN.0]);

static MODULE: Constant<Module> = Constant(Module {
    size: std::mem::size_of::<Module>() as u32,
    abi_major: 1,
    abi_minor: 0,
    n_plugins: 1,
    plugins: &PLUGINS.0 as *const *const Plugin,
});

#[no_mangle]
pub extern "C" fn gb_module_v1() -> *const Module {
    &MODULE.0
}
