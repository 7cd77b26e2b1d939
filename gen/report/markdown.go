package report

import "strings"

// Cell escapes a text for a cell of a Markdown table: on one line, and without effect as markup.
func Cell(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ", "<", "&lt;", "&", "&amp;", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[").Replace(s)
}

// Code returns a text in backticks, with enough of them to delimit the text.
func Code(s string) string {
	s = strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ").Replace(s)
	fence := "`"
	if strings.Contains(s, "`") && !strings.Contains(s, "`, `") {
		fence = "``"
		s = " " + s + " "
	}
	return fence + s + fence
}
