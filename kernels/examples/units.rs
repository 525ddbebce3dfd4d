//! Writes every translation unit of the built-in kernels to a folder, for tools
//! that compile or inspect them: `units.tsv` lists name, source file and options.

use pygpukit_kernels::Unit;
use std::fmt::Write as _;
use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "units".into()));
    std::fs::create_dir_all(&folder)?;
    let mut sources: Vec<&str> = Vec::new();
    let mut list = String::new();
    for unit in Unit::all() {
        let source = unit.source();
        let at = sources.iter().position(|&known| known == source);
        let at = at.unwrap_or_else(|| {
            sources.push(source);
            sources.len() - 1
        });
        writeln!(list, "{unit}\t{at}.cu\t{}", unit.options().join("\t"))
            .map_err(std::io::Error::other)?;
    }
    for (at, source) in sources.iter().enumerate() {
        std::fs::write(folder.join(format!("{at}.cu")), source)?;
    }
    std::fs::write(folder.join("units.tsv"), list)
}
