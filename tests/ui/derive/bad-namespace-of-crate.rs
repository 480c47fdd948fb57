aon::namespace!("Not A Namespace");

fn main() {}
