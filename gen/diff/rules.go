package diff

import "slices"

// Level says how bad a verdict is.
type Level string

// The levels, the mildest first. LevelOK is that of a verdict only.
const (
	LevelOK   Level = "ok"
	LevelInfo Level = "info"
	LevelWarn Level = "warn"
	LevelErr  Level = "err"
)

var levels = []Level{LevelOK, LevelInfo, LevelWarn, LevelErr}

// AtLeast reports whether a level is as bad as another.
func (l Level) AtLeast(other Level) bool {
	return slices.Index(levels, l) >= slices.Index(levels, other)
}

func worse(a, b Level) Level {
	if a.AtLeast(b) {
		return a
	}
	return b
}

// Effect is what becomes of the values a receiver accepts.
type Effect string

// The effects.
const (
	// EffectNone: the same values are accepted.
	EffectNone Effect = "none"
	// EffectNarrows: values that could be sent before are refused.
	EffectNarrows Effect = "narrows"
	// EffectWidens: values can be sent that were refused before.
	EffectWidens Effect = "widens"
	// EffectIncomparable: both.
	EffectIncomparable Effect = "incomparable"
	// EffectMeaning: the same values are accepted and taken for something else.
	EffectMeaning Effect = "meaning"
)

func (e Effect) Narrows() bool { return e == EffectNarrows || e == EffectIncomparable }
func (e Effect) Widens() bool  { return e == EffectWidens || e == EffectIncomparable }

// Mirror is the effect of the change the other way round.
func (e Effect) Mirror() Effect {
	switch e {
	case EffectNarrows:
		return EffectWidens
	case EffectWidens:
		return EffectNarrows
	}
	return e
}

// Verdicts are the two of a finding.
type Verdicts struct {
	// ReceiverFirst is for a new receiver with an old sender.
	ReceiverFirst Level `json:"receiver_first"`
	// SenderFirst is for a new sender with an old receiver.
	SenderFirst Level `json:"sender_first"`
}

// Verdicts derives what an effect does. It is the law that all severities come
// from.
func (e Effect) Verdicts() Verdicts {
	switch e {
	case EffectNarrows:
		return Verdicts{LevelErr, LevelOK}
	case EffectWidens:
		return Verdicts{LevelOK, LevelErr}
	case EffectIncomparable:
		return Verdicts{LevelErr, LevelErr}
	case EffectMeaning:
		return Verdicts{LevelWarn, LevelWarn}
	}
	return Verdicts{LevelInfo, LevelInfo}
}

// Category is what a rule is about.
type Category string

// The categories.
const (
	CategoryWire    Category = "wire"    // values and their schemas
	CategoryMethods Category = "methods" // which messages there are
	CategoryTools   Category = "tools"   // which tools there are, and what they promise
	CategoryModel   Category = "model"   // what a model reads
)

// Rule describes one kind of change.
type Rule struct {
	ID       string   `json:"id"`
	Category Category `json:"category"`
	Effect   Effect   `json:"effect"`
	// Mirror is the rule of the change the other way round.
	Mirror string `json:"mirror"`
	// Message says what changed; {0} and the like are the finding's arguments.
	Message string `json:"message"`
	Doc     string `json:"doc"`
	// Args names the finding's arguments.
	Args []string `json:"args,omitempty"`
	// Harm says what a change that breaks does to whom: {sender} and {receiver}
	// are the two peers, {sent} and {expected} the one of the arguments before and
	// after that the sender has and the receiver knows.
	Harm string `json:"harm"`
	// Keyword is the member of a finding's places that changed, as a relative JSON
	// Pointer that may show arguments; "" is the place itself.
	Keyword string `json:"keyword,omitempty"`
	// Presence says that the first argument names a member, which one side lacks or does
	// not require.
	Presence bool `json:"presence,omitempty"`
	// Promise says that the change is about a promise that a tool's annotations make. The
	// message is a predicate of the tool.
	Promise bool `json:"promise,omitempty"`
	// Version is the smallest part of a semantic version that must change.
	Version Version `json:"version" jsonschema:"enum=minor,enum=patch"`
}

// Names of arguments that many rules have.
const (
	argBefore = "before"
	argAfter  = "after"
)

// Guard is a reason why what the law calls breaking is not, or not always.
type Guard struct {
	ID string `json:"id"`
	// Level is what err becomes under it.
	Level Level `json:"level"`
	// SenderOnly guards are of no use to a receiver that goes first.
	SenderOnly bool   `json:"sender_only,omitempty"`
	Doc        string `json:"doc"`
}

// The guards.
const (
	guardOpenObject     = "open-object"
	guardIgnoredMember  = "ignored-argument"
	guardReadAsAnother  = "read-as-another"
	guardCapability     = "capability-gated"
	guardAskedFor       = "asked-for"
	guardNoAnswer       = "no-answer"
	guardListed         = "listed"
	guardUndeclared     = "undeclared-members"
	guardPromisedNobody = "unconstrained"
)

// Guards lists the guards.
func Guards() []Guard {
	return append(serverGuards(), []Guard{
		{ID: guardOpenObject, Level: LevelInfo, Doc: "Objects of the protocol are open: a receiver ignores members it does not know."},
		{ID: guardIgnoredMember, Level: LevelWarn, Doc: "The object is open: the receiver accepts the member and ignores it."},
		{ID: guardReadAsAnother, Level: LevelWarn, Doc: "The receiver accepts the value as another variant, and loses what is new in it."},
		{ID: guardCapability, Level: LevelWarn, Doc: "A peer receives this only if it has declared the capability."},
		{ID: guardAskedFor, Level: LevelWarn, Doc: "A peer receives this only if its request asks for it."},
		{ID: guardNoAnswer, Level: LevelWarn, Doc: "A receiver ignores a notification that it does not know, and no answer is expected."},
		{ID: guardListed, Level: LevelInfo, SenderOnly: true, Doc: "A client calls only tools that the server lists."},
		{ID: guardUndeclared, Level: LevelWarn, Doc: "Only members that neither side declares are affected."},
		{ID: guardPromisedNobody, Level: LevelInfo, Doc: "The schema constrains nothing."},
	}...)
}

func guard(id string) Guard {
	list := Guards()
	return list[slices.IndexFunc(list, func(g Guard) bool { return g.ID == id })]
}

// apply lowers verdicts.
func (g Guard) apply(v Verdicts) Verdicts {
	if v.SenderFirst == LevelErr {
		v.SenderFirst = g.Level
	}
	if v.ReceiverFirst == LevelErr && !g.SenderOnly {
		v.ReceiverFirst = g.Level
	}
	return v
}
