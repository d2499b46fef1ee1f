//! The lists as a page for the browser: one file without any script.

use super::section::{Align, Section};

const STYLE: &str = include_str!("page.css");

/// The page, as HTML in UTF-8.
pub(super) fn render_page(title: &str, sections: &[Section]) -> String {
    let title = escape(title);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
    );
    page += "<nav aria-label=\"Lists\"><ul>\n";
    for (number, section) in sections.iter().enumerate() {
        page += &format!(
            "<li><a href=\"#list{number}\">{}</a> <span>{}</span></li>\n",
            escape(section.title),
            section.rows.len()
        );
    }
    page += "</ul></nav>\n";
    for (number, section) in sections.iter().enumerate() {
        page += &render_section(number, section);
    }
    page + "</main>\n</body>\n</html>\n"
}

fn render_section(number: usize, section: &Section) -> String {
    let (title, note) = (escape(section.title), escape(&section.note));
    let mut text = format!("<section id=\"list{number}\">\n<h2>{title}</h2>\n<p>{note}</p>\n");
    if section.rows.is_empty() {
        return text + "</section>\n";
    }
    let class = |align: Align| if align == Align::Right { " class=\"number\"" } else { "" };
    // What is wider than the window is moved by the keyboard, too.
    text +=
        &format!("<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"{title} {number}\">\n");
    text += "<table>\n<thead><tr>";
    for (name, align) in &section.columns {
        text += &format!("<th scope=\"col\"{}>{}</th>", class(*align), escape(name));
    }
    text += "</tr></thead>\n<tbody>\n";
    for row in &section.rows {
        text += "<tr>";
        for (cell, (_, align)) in row.iter().zip(&section.columns) {
            text += &format!("<td{}>{}</td>", class(*align), escape(cell));
        }
        text += "</tr>\n";
    }
    text + "</tbody>\n</table>\n</div>\n</section>\n"
}

/// Text as it stands in markup.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
