package diff

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/diff/locate"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Report is the result of a comparison.
type Report struct {
	// Old and New name the sides. Kind is the kind of both: "revisions" or "tools".
	Old  string `json:"old"`
	New  string `json:"new"`
	Kind string `json:"kind" jsonschema:"enum=revisions,enum=tools"`
	// Upgrade is the order of upgrades that the levels apply to.
	Upgrade Upgrade `json:"upgrade" jsonschema:"enum=server,enum=client,enum=either"`
	// Suggested is the part of a semantic version that should change.
	Suggested Version `json:"suggested" jsonschema:"enum=major,enum=minor,enum=patch,enum=none"`
	// Bump says whether the version of the server has changed enough, if that was checked.
	Bump *Bump `json:"bump,omitempty"`
	// Negotiation says how peers of two revisions agree on one.
	Negotiation *Negotiation `json:"negotiation,omitempty"`
	// Compared counts the subjects of the comparison.
	Compared Compared `json:"compared"`
	// Findings are sorted by level, the worst first, and then by subject. Accepted findings
	// come last.
	Findings []*Finding `json:"findings"`
	// Warnings are about the policy: acceptances that have expired or match no finding.
	Warnings []string `json:"warnings,omitempty"`
	// Skipped lists the parts that the comparison left out or could not read as written.
	Skipped []Skipped `json:"skipped,omitempty"`
	// Errata lists the errors in the sides that were corrected before the comparison.
	Errata []Corrected `json:"errata,omitempty"`
	// Problems are inconsistencies of the comparison itself. Each is a bug of
	// mcpgen and changes no finding.
	Problems []string `json:"problems,omitempty"`
	Summary  Summary  `json:"summary"`
}

// Compared counts the subjects that both sides have: methods of revisions, or tools.
type Compared struct {
	Subjects int `json:"subjects"`
	// Items counts what two lists have of the kinds that both have, such as prompts. Without an
	// item, nothing was compared.
	Items int `json:"items,omitempty"`
	// Unchanged subjects have the same envelope, params and result. A finding about a shared
	// definition counts as a change of each subject that uses it.
	Unchanged int `json:"unchanged"`
	// Changed, Added and Removed list names, sorted.
	Changed []string `json:"changed,omitempty"`
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
}

// add counts a subject that a side has or not, and reports whether both have it.
func (c *Compared) add(name string, was, is bool) (both bool) {
	switch {
	case !is:
		c.Removed = append(c.Removed, name)
	case !was:
		c.Added = append(c.Added, name)
	default:
		c.Subjects++
	}
	return was && is
}

// Summary counts findings: by level for those that are not accepted, and the accepted ones.
type Summary struct {
	Err       int `json:"err"`
	Undecided int `json:"undecided"`
	Warn      int `json:"warn"`
	Info      int `json:"info"`
	Accepted  int `json:"accepted"`
	// Ignored findings are not in the report.
	Ignored int `json:"ignored,omitempty"`
}

// Finding is one change.
type Finding struct {
	Rule     string   `json:"rule"`
	Category Category `json:"category"`
	// Level is the level in the report's order of upgrades. For "either" it is the worse one of
	// the two orders.
	Level Level `json:"level"`
	// ServerFirst and ClientFirst are the outcomes in the two orders of upgrades.
	ServerFirst Outcome  `json:"server_first"`
	ClientFirst Outcome  `json:"client_first"`
	Verdicts    Verdicts `json:"verdicts"`
	Effect      Effect   `json:"effect"`
	// Guard is the reason why the level is lower than the effect implies. Reason is the text
	// of the exception that applies, if any.
	Guard  string `json:"guard,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Direction says which side sends the values: "client-to-server", "server-to-client" or
	// "both".
	Direction Direction `json:"direction"`
	// Tool is the name of the tool that changed, or "".
	Tool string `json:"tool,omitempty"`
	// Subject is the path of the change: a declaration and its members, a method, or a tool.
	Subject string   `json:"subject"`
	Args    []string `json:"args,omitempty"`
	Message string   `json:"message"`
	Old     Place    `json:"old"`
	New     Place    `json:"new"`
	// OldPosition and NewPosition are the positions of Old and New, or of the keyword that
	// changed, in the texts of the sides. They are nil if unknown.
	OldPosition *Position `json:"old_position,omitempty"`
	NewPosition *Position `json:"new_position,omitempty"`
	// Uses lists the messages that carry the values, sorted.
	Uses []string `json:"uses"`
	// Witnesses prove the verdicts.
	Witnesses []Witness `json:"witnesses,omitempty"`
	// Unproven says why no witness was found or confirmed.
	Unproven string `json:"unproven,omitempty"`
	// Fingerprint identifies the finding. It does not depend on texts.
	Fingerprint string `json:"fingerprint"`
	// Accepted is the acceptance that matches the finding, or nil.
	Accepted *Acceptance `json:"accepted,omitempty"`
	// Fails means that the finding is not accepted, and meets a condition of the policy's FailOn or,
	// without one, fails by the profile.
	Fails bool `json:"fails,omitempty"`
}

// Position is a line and a column in the text of a side.
type Position = locate.Position

// Witness is a value that one side accepts and the other side refuses.
type Witness struct {
	// Breaks is the order of upgrades in which a peer sends the value to a peer that refuses
	// it: "receiver-first" or "sender-first".
	Breaks string `json:"breaks"`
	// Of names the kind of value: a definition, or the arguments or the result of a
	// tool.
	Of         string          `json:"of"`
	Value      json.RawMessage `json:"value"`
	AcceptedBy string          `json:"accepted_by"`
	RefusedBy  string          `json:"refused_by"`
}

// The values of [Witness.Breaks].
const (
	ReceiverFirst = "receiver-first"
	SenderFirst   = "sender-first"
)

// Direction says which side sends a value.
type Direction string

// The directions.
const (
	ToServer  Direction = "client-to-server"
	ToClient  Direction = "server-to-client"
	BothWays  Direction = "both"
	Nobodys   Direction = ""
	separator           = "\x00"
)

func (d Direction) join(other Direction) Direction {
	switch {
	case d == Nobodys || d == other:
		return other
	case other == Nobodys:
		return d
	}
	return BothWays
}

func (d Direction) includes(one Direction) bool { return d == one || d == BothWays }

// message returns a rule's message with the arguments filled in.
func message(r Rule, args []string) string { return fill(r.plural(r.Message, args), args, nil) }

// mostListed is the number of arguments that a text lists.
const mostListed = 5

// plural returns a text for a rule whose only argument stands for all arguments.
func (r Rule) plural(template string, args []string) string {
	if len(r.Args) != 1 || len(args) < 2 {
		return template
	}
	var list []string
	for i := range min(len(args), mostListed) {
		list = append(list, "`{"+strconv.Itoa(i)+"}`")
	}
	text := strings.Join(list, ", ")
	if more := len(args) - len(list); more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return strings.NewReplacer(r.Args[0]+" `{0}`", r.Args[0]+"s "+text, "`{0}`", text).Replace(template)
}

// fill replaces the placeholders {0}, {1} and so on of a template by arguments, and others by the texts of their names.
func fill(template string, args []string, texts map[string]string) string {
	var filled strings.Builder
	for {
		before, rest, _ := strings.Cut(template, "{")
		name, after, found := strings.Cut(rest, "}")
		if !found {
			filled.WriteString(template)
			return filled.String()
		}
		text, known := texts[name]
		if i, err := strconv.Atoi(name); err == nil && i < len(args) {
			text, known = args[i], true
		}
		if !known {
			text = "{" + name + "}"
		}
		filled.WriteString(before + text)
		template = after
	}
}

// fingerprint returns a hash that does not depend on texts or on the names of the sides.
func fingerprint(kind, rule, subject string, args []string) string {
	parts := append([]string{kind, rule, subject}, args...)
	sum := sha256.Sum256([]byte(strings.Join(parts, separator)))
	return hex.EncodeToString(sum[:])[:12]
}

// sort sorts the findings as [Report.Findings] describes.
func (r *Report) sort() {
	slices.SortFunc(r.Findings, func(a, b *Finding) int {
		accepted := map[bool]int{true: 1}
		return cmp.Or(accepted[a.Accepted != nil]-accepted[b.Accepted != nil], slices.Index(levels, b.Level)-slices.Index(levels, a.Level),
			strings.Compare(a.Subject, b.Subject), strings.Compare(a.Rule, b.Rule), slices.Compare(a.Args, b.Args), strings.Compare(a.Old.Pointer, b.Old.Pointer))
	})
}

// count fills in the summary.
func (r *Report) count() {
	r.Summary = Summary{Ignored: r.Summary.Ignored}
	for _, f := range r.Findings {
		switch {
		case f.Accepted != nil:
			r.Summary.Accepted++
		case f.Level == LevelErr:
			r.Summary.Err++
		case f.Level == LevelUndecided:
			r.Summary.Undecided++
		case f.Level == LevelWarn:
			r.Summary.Warn++
		default:
			r.Summary.Info++
		}
	}
}

// Locate sets the positions of the findings in the texts of the two sides. A nil text has no
// positions.
func (r *Report) Locate(old, new []byte) {
	var pointers [2][]string // one for each finding
	for _, f := range r.Findings {
		keyword := ruleTable()[f.Rule].Changed(f.Args)
		for i, place := range []Place{f.Old, f.New} {
			if place.Pointer != "" {
				place.Pointer += keyword
			}
			pointers[i] = append(pointers[i], place.Pointer)
		}
	}
	var found [2]map[string]Position
	code.Parallel(2, func(i int) {
		if text := [2][]byte{old, new}[i]; text != nil {
			found[i] = locate.Find(text, pointers[i])
		}
	})
	for j, f := range r.Findings {
		for i, position := range [2]**Position{&f.OldPosition, &f.NewPosition} {
			*position = nil
			if p, ok := found[i][pointers[i][j]]; ok && pointers[i][j] != "" {
				*position = &p
			}
		}
	}
}

// Changed returns the JSON Pointer from the places of a finding to the member that changed.
// It returns "" for the places themselves.
func (r Rule) Changed(args []string) string {
	if r.Keyword == "" {
		return ""
	}
	pointers := make([]string, len(args))
	for i, arg := range args {
		if r.Category == CategoryWire {
			arg = strings.Trim(arg, `"`) // a keyword
		}
		pointers[i] = pointerOf(arg)[1:]
	}
	return "/" + fill(r.Keyword, pointers, nil)
}

// pointerOf returns the JSON Pointer of a member as findings name it. The names of annotations and
// of members of execution are joined to those of their objects by a dot; the names of other members
// may contain one.
func pointerOf(member string) string {
	if outer, inner, ok := strings.Cut(member, "."); ok && (outer == "annotations" || outer == "execution") {
		return wire.ChildPointer("/"+outer, inner)
	}
	return wire.ChildPointer("", member)
}
