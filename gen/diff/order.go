package diff

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// Upgrade says which side of a connection is upgraded first. "either" means that the order is
// unknown: findings have the worse level of the two orders.
type Upgrade string

// The orders of upgrades.
const (
	UpgradeServer Upgrade = "server"
	UpgradeClient Upgrade = "client"
	UpgradeEither Upgrade = "either"
)

// Upgrades returns the orders.
func Upgrades() []Upgrade { return []Upgrade{UpgradeServer, UpgradeClient, UpgradeEither} }

// defaultUpgrade returns the order for a policy that sets none. The author of a tool list
// controls the server. A revision may reach either side first.
func (r *Report) defaultUpgrade() Upgrade {
	if r.Kind == "tools" {
		return UpgradeServer
	}
	return UpgradeEither
}

// Outcome describes the effect of a change in one order of upgrades.
type Outcome struct {
	Level Level `json:"level"`
	// Says is a sentence about what fails, or "" if nothing does.
	Says string `json:"says,omitempty"`
}

// Version is a part of a semantic version.
type Version string

// The versions, the greatest first. Only a report has VersionNone.
const (
	Major       Version = "major"
	Minor       Version = "minor"
	Patch       Version = "patch"
	VersionNone Version = "none"
)

// SetUpgrade sets the levels of the findings for an order of upgrades.
func (r *Report) SetUpgrade(u Upgrade) {
	r.Upgrade = u
	for _, f := range r.Findings {
		server, _ := f.verdict(true)
		client, _ := f.verdict(false)
		f.ServerFirst = Outcome{server, r.harm(f, ruleTable()[f.Rule], true)}
		f.ClientFirst = Outcome{client, r.harm(f, ruleTable()[f.Rule], false)}
		f.level(u)
	}
	r.settle()
}

// level sets the level for an order of upgrades.
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

// settle sorts and counts the findings and sets the suggested version. It must run after levels
// have changed.
func (r *Report) settle() {
	r.sort()
	r.count()
	r.Suggested = VersionNone
	for _, f := range r.Findings {
		part := ruleTable()[f.Rule].Version
		if f.Level.AtLeast(LevelUndecided) {
			part = Major
		}
		if slices.Index(versions, part) < slices.Index(versions, r.Suggested) {
			r.Suggested = part
		}
	}
}

var versions = []Version{Major, Minor, Patch, VersionNone}

// harm returns a sentence about what fails if one side is upgraded first, or "" if nothing
// does.
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
	texts := map[string]string{"sender": sender, "receiver": receiver}
	before, after := slices.Index(rule.Args, argBefore), slices.Index(rule.Args, argAfter)
	if before >= 0 && after >= 0 && max(before, after) < len(f.Args) {
		sent, expected := f.Args[after], f.Args[before]
		if receiverFirst {
			sent, expected = expected, sent
		}
		texts["sent"], texts["expected"] = sent, expected
	}
	template := rule.Harm
	if f.Guard == guardReadAsAnother {
		template = "{receiver} accepts this value, which {sender} may send, as another variant."
	}
	return sentence(fill(rule.plural(template, f.Args), f.Args, texts))
}

// verdict returns the verdict for an order of upgrades, and whether it is the verdict for the
// receiver first.
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

// peer returns the name of a peer for use inside a sentence.
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

// sentence capitalizes the first letter.
func sentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// Proof returns the witnesses for an order of upgrades.
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
