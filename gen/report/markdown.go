package report

import "strings"

// Cell escapes a text for a cell of a Markdown table: on one line, and without effect as markup.
func Cell(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ", "<", "&lt;", "&", "&amp;", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[").Replace(s)
}

// Prose is [Cell] for a text in which backticks mark code, which stays code.
func Prose(s string) string {
	parts := strings.Split(s, "`")
	if len(parts)%2 == 0 { // a backtick that is no mark
		return Cell(s)
	}
	for i, part := range parts {
		if i%2 == 0 {
			parts[i] = Cell(part)
		} else if part != "" {
			parts[i] = Code(part)
		}
	}
	return strings.Join(parts, "")
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
