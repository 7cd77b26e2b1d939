package schema

import "strings"

// Nearest returns the known word closest to a word, whatever the case of letters. It returns false if
// more than most changes are needed for each of them: insertions, deletions, replacements and swaps
// of neighbours.
func Nearest(word string, known []string, most int) (string, bool) {
	best, least := "", most+1
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	return best, least <= most
}

// distance returns the number of bytes to insert, delete or replace, and of neighbours to swap, to turn
// one word into another.
func distance(a, b string) int {
	// The rows hold the distances between the beginnings of a, of three successive lengths, and those
	// of b.
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
