package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/diff"
)

// Acceptance returns an entry of mcpgen.yaml that accepts a finding, with a reason to fill in, and
// with a number of spaces before each line.
func Acceptance(f *diff.Finding, indent int) string {
	return fmt.Sprintf("%s# %s at %s\n%[1]s- fingerprint: %[4]s\n%[1]s  reason: \"%[5]s: say why this is not a problem\"\n",
		strings.Repeat(" ", indent), f.Rule, strconv.QuoteToASCII(f.Subject), f.Fingerprint, diff.NoReason)
}
