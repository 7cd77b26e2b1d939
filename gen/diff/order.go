package diff

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/gen/tools"
)

// Upgrade says which side of a connection is upgraded first. "Either" is no
// promise: the findings have the worse level of the two orders.
type Upgrade string

// The orders of upgrades.
const (
	UpgradeServer Upgrade = "server"
	UpgradeClient Upgrade = "client"
	UpgradeEither Upgrade = "either"
)

// Upgrades lists the orders.
func Upgrades() []Upgrade { return []Upgrade{UpgradeServer, UpgradeClient, UpgradeEither} }

// defaultUpgrade is the order of a report whose policy has none. Whoever changes
// a list of tools runs the server; a revision may reach either side first.
func (r *Report) defaultUpgrade() Upgrade {
	if r.Kind == "tools" {
		return UpgradeServer
	}
	return UpgradeEither
}

// Outcome is what a change does in one order of upgrades.
type Outcome struct {
	Level Level `json:"level"`
	// Says is a sentence that says who cannot do what; "" if nothing breaks.
	Says string `json:"says,omitempty"`
}

// Version is a part of a semantic version.
type Version string

// The versions, the greatest first. VersionNone is that of a report only.
const (
	Major       Version = "major"
	Minor       Version = "minor"
	Patch       Version = "patch"
	VersionNone Version = "none"
)

// finish completes a report for the order [UpgradeEither].
func (r *Report) finish() { r.SetUpgrade(UpgradeEither) }

// SetUpgrade gives the findings the levels that they have in an order of
// upgrades.
func (r *Report) SetUpgrade(u Upgrade) {
	r.Upgrade = u
	rules := newRuleTable()
	for _, f := range r.Findings {
		server, client := f.First()
		f.ServerFirst = Outcome{server, r.harm(f, rules[f.Rule], true)}
		f.ClientFirst = Outcome{client, r.harm(f, rules[f.Rule], false)}
		f.level(u)
	}
	r.settle()
}

// level takes over the level of an order of upgrades.
func (f *Finding) level(u Upgrade) {
	f.Level = worse(f.ServerFirst.Level, f.ClientFirst.Level)
	switch u {
	case UpgradeServer:
		f.Level = f.ServerFirst.Level
	case UpgradeClient:
		f.Level = f.ClientFirst.Level
	}
	f.Level = worse(f.Level, LevelInfo)
}

// settle orders and counts the findings after their levels have changed.
func (r *Report) settle() {
	r.sort()
	r.count()
	r.Suggested = VersionNone
	rules := newRuleTable()
	for _, f := range r.Findings {
		part := rules[f.Rule].Version
		if f.Level == LevelErr {
			part = Major
		}
		if slices.Index(versions, part) < slices.Index(versions, r.Suggested) {
			r.Suggested = part
		}
	}
}

var versions = []Version{Major, Minor, Patch, VersionNone}

// harm says who cannot do what when one side is upgraded first, "" if nothing
// breaks.
func (r *Report) harm(f *Finding, rule Rule, serverFirst bool) string {
	level, receiverFirst := f.verdict(serverFirst)
	if !level.AtLeast(LevelWarn) || rule.Harm == "" {
		return ""
	}
	sender, receiver := "client", "server"
	switch f.Direction {
	case ToClient:
		sender, receiver = receiver, sender
	case BothWays:
		sender, receiver = "peer", "peer"
	}
	if receiverFirst {
		sender, receiver = r.peer(sender, false), r.peer(receiver, true)
	} else {
		sender, receiver = r.peer(sender, true), r.peer(receiver, false)
	}
	pairs := []string{"{sender}", sender, "{receiver}", receiver}
	before, after := slices.Index(rule.Args, argBefore), slices.Index(rule.Args, argAfter)
	if before >= 0 && after >= 0 && max(before, after) < len(f.Args) {
		sent, expected := f.Args[after], f.Args[before]
		if receiverFirst {
			sent, expected = expected, sent
		}
		pairs = append(pairs, "{sent}", sent, "{expected}", expected)
	}
	template := rule.Harm
	if f.Guard == guardReadAsAnother {
		template = "{receiver} accepts this value, which {sender} may send, as another variant."
	}
	return sentence(fill(template, f.Args, pairs...))
}

// verdict is the worse of those that apply in an order of upgrades, and whether
// it is the one of the receiver going first.
func (f *Finding) verdict(serverFirst bool) (level Level, receiverFirst bool) {
	v := f.Verdicts
	switch f.Direction {
	case ToServer:
		receiverFirst = serverFirst
	case ToClient:
		receiverFirst = !serverFirst
	default:
		receiverFirst = v.ReceiverFirst.AtLeast(v.SenderFirst)
	}
	if receiverFirst {
		return v.ReceiverFirst, true
	}
	return v.SenderFirst, false
}

// peer names a peer in the middle of a sentence.
func (r *Report) peer(role string, upgraded bool) string {
	age, label := "old", r.Old
	if upgraded {
		age, label = "new", r.New
	}
	switch {
	case r.Kind != "tools":
		return "a " + role + " of " + label
	case role == "server":
		return "the " + age + " server"
	case upgraded:
		return "a new " + role
	}
	return "an old " + role
}

// sentence begins with a capital.
func sentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// Proof returns the witnesses of what happens in an order of upgrades.
func (f *Finding) Proof(u Upgrade) []Witness {
	if u == UpgradeEither || f.Direction != ToServer && f.Direction != ToClient {
		return f.Witnesses
	}
	breaks := SenderFirst
	if (f.Direction == ToServer) == (u == UpgradeServer) {
		breaks = ReceiverFirst
	}
	return slices.DeleteFunc(slices.Clone(f.Witnesses), func(w Witness) bool { return w.Breaks != breaks })
}

// name gives findings the names of the tools that they are about: those whose
// definitions their places are in.
func name(findings []*Finding, old, new *tools.List) {
	names := [2]map[string]string{{}, {}}
	for i, list := range []*tools.List{old, new} {
		for _, t := range list.Tools {
			names[i][t.Pointer] = t.Name
		}
	}
	for _, f := range findings {
		for i, at := range []Place{f.Old, f.New} {
			for pointer := at.Pointer; f.Tool == "" && pointer != ""; pointer = pointer[:max(0, strings.LastIndexByte(pointer, '/'))] {
				f.Tool = names[i][pointer]
			}
		}
	}
}
