package diff_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/gen/diff"
)

func TestCheckVersion(t *testing.T) {
	for _, test := range []struct {
		old, new string
		needed   diff.Version
		enough   bool
	}{
		{"1.2.3", "2.0.0", diff.Major, true}, {"1.2.3", "1.3.0", diff.Major, false}, {"1.2.3", "1.3.0", diff.Minor, true},
		{"1.2.3", "1.2.4", diff.Minor, false}, {"1.2.3", "1.2.4", diff.Patch, true}, {"1.2.3", "1.2.3", diff.Patch, false},
		{"1.2.3", "1.2.3", diff.VersionNone, true}, {"1.2.3", "1.2.2", diff.Patch, false}, {"1.2.3", "1.2.3+build", diff.Patch, false},
		{"0.1.2", "0.2.0", diff.Major, true}, {"0.1.2", "0.1.3", diff.Minor, true}, {"0.1.2", "0.1.3", diff.Major, false},
		{"0.9.0", "1.0.0", diff.Major, true}, {"v1.0.0-rc.1", "v1.0.0-rc.2", diff.Major, true}, {"1.0.0-rc.1", "1.0.0", diff.Major, true},
		{"1.0.0", "1.0.0-rc.1", diff.Patch, false}, {"1.9.0", "1.10.0", diff.Minor, true},
	} {
		r := &diff.Report{Suggested: test.needed}
		if err := r.CheckVersion(test.old, test.new); err != nil || r.Bump.Enough != test.enough || r.Failed() == test.enough {
			t.Errorf("%s -> %s for %s: %v, %v", test.old, test.new, test.needed, r.Bump, err)
		}
	}
	for _, bad := range []string{"", "1", "1.2", "latest", "1.2.3.4", "99999999999999999999.0.0"} {
		if err := new(diff.Report).CheckVersion(bad, "1.0.0"); err == nil {
			t.Errorf("%q is a version", bad)
		}
	}
}
