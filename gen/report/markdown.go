package report

import "strings"

// Cell escapes a text for a cell of a Markdown table: on one line, and without effect as markup.
func Cell(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ", "<", "&lt;", "&", "&amp;", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[").Replace(s)
}

// Codes is [Code] for each text of a list.
func Codes(list []string) string {
	var all []string
	for _, s := range list {
		all = append(all, Code(s))
	}
	return strings.Join(all, ", ")
}

// Code returns a text in backticks, with enough of them to delimit the text.
func Code(s string) string {
	s = strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ").Replace(s)
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		s = " " + s + " "
	}
	return fence + s + fence
}
