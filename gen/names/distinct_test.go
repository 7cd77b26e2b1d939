package names

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDistinct(t *testing.T) {
	n := New([]string{"ID", "URL"})
	reserved := func(name string) bool { return name == "Extra" || name == "ExtraMember" }
	for _, test := range []struct {
		wires, want []string
		clash       []int
	}{
		{[]string{"a", "b"}, []string{"A", "B"}, nil},
		{[]string{"StartTime", "StartTime<", "StartTime>"}, []string{"StartTime", "StartTimeLess", "StartTimeGreater"}, nil},
		{[]string{"user_id", "userId", "name"}, []string{"UserUnderscoreID", "UserID", "Name"}, nil},
		{[]string{"created", "-created"}, []string{"Created", "DashCreated"}, nil},
		{[]string{"Content-Type", "content-type"}, []string{"ContentDashType", "XcontentDashtype"}, nil},
		{[]string{"<", "<=", ""}, []string{"Less", "LessEqual", "Empty"}, nil},
		{[]string{"owner/repo", "repo"}, []string{"OwnerRepo", "Repo"}, nil},
		{[]string{"$filter", "type", "2fa", "{{userId}}", "größe", "名前"}, []string{"Filter", "Type", "N2fa", "UserID", "Größe", "X名前"}, nil},
		{[]string{"extra"}, []string{"ExtraMember"}, nil},
		{[]string{"≤", "≥"}, []string{"U2264", "U2265"}, nil},
		{[]string{"a-b", "aDashb", "a_b"}, []string{"ADashB", "ADashb", "AUnderscoreB"}, nil},
		{[]string{"Xa", "a", "A"}, []string{"Xa", "Xa", "A"}, []int{0, 1}},
	} {
		got, clash := n.Distinct(test.wires, reserved, "Member")
		if diff := cmp.Diff(test.want, got); diff != "" && test.clash == nil {
			t.Errorf("%q: %s", test.wires, diff)
		}
		if diff := cmp.Diff(test.clash, clash); diff != "" {
			t.Errorf("%q: clash %s", test.wires, diff)
		}
	}
}
