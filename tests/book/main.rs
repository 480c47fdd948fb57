//! The book: its commands run, its links lead somewhere, every page can be reached, and the site works in a browser.

mod commands;
#[path = "../clients/demo.rs"]
#[allow(dead_code, reason = "the suite of clients uses the rest")]
mod demo;
mod fences;
#[path = "../clients/http.rs"]
#[allow(dead_code, reason = "the suite of clients uses the rest")]
mod http;
mod links;
mod site;
#[path = "../clients/tools.rs"]
#[allow(dead_code, reason = "the suite of clients uses the rest")]
mod tools;
