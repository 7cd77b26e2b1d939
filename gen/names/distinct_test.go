package names

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDistinctShort(t *testing.T) {
	got, clash := New([]string{"ID"}).DistinctShort([]string{"io.example/traceId", "a/level", "b/level", "", "$"}, nil, "")
	if diff := cmp.Diff([]string{"TraceID", "ALevel", "BLevel", "Empty", "Dollar"}, got); diff != "" || clash != nil {
		t.Error(diff, clash)
	}
}

func TestConstants(t *testing.T) {
	taken := map[string]bool{"RoleUser": true}
	for _, tt := range []struct{ values, want []string }{
		{[]string{"pay-per-use", "pay_per_use"}, []string{"RolePayDashPerDashUse", "RolePayUnderscorePerUnderscoreUse"}},
		{[]string{"user", "free"}, []string{"RoleValueUser", "RoleValueFree"}},
		{[]string{"Xa", "a", "A"}, []string{"Role1", "Role2", "Role3"}},
	} {
		got := New(nil).Constants("Role", tt.values, func(name string) bool { return taken[name] })
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Error(diff)
		}
	}
}

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
