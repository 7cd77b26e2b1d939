package names

import "testing"

func TestSingular(t *testing.T) {
	for plural, want := range map[string]string{
		"Records": "Record", "SearchResults": "SearchResult", "Entries": "Entry", "Addresses": "Address", "Boxes": "Box",
		"Branches": "Branch", "Caches": "Cache", "Statuses": "Status", "Releases": "Release", "Databases": "Database", "Sizes": "Size",
		"UserIDs": "UserID", "URLs": "URL", "People": "Person", "AllChildren": "AllChild", "Indices": "Index", "Movies": "Movie",
		"Aliases": "Alias", "Matches": "Match", "Keys": "Key", "Ids": "Id", "Replies": "Reply",
		"Data": "Data", "Status": "Status", "Address": "Address", "Analysis": "Analysis", "Series": "Series", "DNS": "DNS", "Metrics": "Metric",
		"Item": "Item", "S": "S", "As": "As", "": "",
	} {
		if got := Singular(plural); got != want {
			t.Errorf("%s: %s, want %s", plural, got, want)
		}
	}
}
