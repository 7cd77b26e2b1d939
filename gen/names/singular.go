package names

import (
	"strings"
	"unicode"
)

// Singular returns the singular of an identifier, such as Record for Records and EntryID for EntryIDs. It returns
// an identifier that it does not know as a plural, such as Data, unchanged.
func Singular(plural string) string {
	start := 0
	for i, r := range plural {
		if unicode.IsUpper(r) && (i == 0 || !unicode.IsUpper(rune(plural[i-1]))) {
			start = i
		}
	}
	word := plural[start:]
	if letters, ok := strings.CutSuffix(word, "s"); ok && len(letters) > 1 && letters == strings.ToUpper(letters) {
		return plural[:start] + letters // URLs
	}
	if word == strings.ToUpper(word) {
		return plural // DNS
	}
	lower := strings.ToLower(word)
	for _, irregular := range irregulars {
		if lower == irregular.plural {
			return plural[:start] + word[:1] + irregular.singular[1:]
		}
	}
	for _, end := range endings {
		if stem, ok := strings.CutSuffix(word, end.plural); ok && len(stem) > 1 {
			return plural[:start] + stem + end.singular
		}
	}
	return plural
}

// irregulars are the plurals that the endings do not describe, and words that are no plurals.
var irregulars = []struct{ plural, singular string }{
	{"people", "person"}, {"children", "child"}, {"men", "man"}, {"women", "woman"}, {"criteria", "criterion"},
	{"indices", "index"}, {"vertices", "vertex"}, {"matrices", "matrix"}, {"appendices", "appendix"}, {"analyses", "analysis"},
	{"axes", "axis"}, {"leaves", "leaf"}, {"shelves", "shelf"}, {"halves", "half"}, {"quizzes", "quiz"}, {"caches", "cache"},
	{"movies", "movie"}, {"cookies", "cookie"}, {"calories", "calorie"}, {"ties", "tie"}, {"aliases", "alias"}, {"biases", "bias"},
	{"canvases", "canvas"}, {"statuses", "status"}, {"buses", "bus"}, {"viruses", "virus"}, {"campuses", "campus"}, {"bonuses", "bonus"},
	{"series", "series"}, {"news", "news"}, {"species", "species"}, {"lens", "lens"}, {"gas", "gas"}, {"alias", "alias"}, {"bias", "bias"},
	{"canvas", "canvas"}, {"atlas", "atlas"}, {"always", "always"}, {"analytics", "analytics"}, {"kubernetes", "kubernetes"}, {"postgres", "postgres"},
}

// endings are the ends of regular plurals, and of words that are no plurals. The first one that fits
// applies.
var endings = []struct{ plural, singular string }{
	{"ies", "y"}, {"sses", "ss"}, {"shes", "sh"}, {"ches", "ch"}, {"xes", "x"},
	{"ss", "ss"}, {"us", "us"}, {"is", "is"}, {"s", ""},
}
