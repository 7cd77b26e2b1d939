package diff

import "slices"

// Level is the severity of a verdict or a finding.
type Level string

// The levels, the mildest first. Only verdicts have LevelOK. LevelUndecided is that of a change that
// would break something, but for which neither an example nor a proof that there is none was found.
const (
	LevelOK        Level = "ok"
	LevelInfo      Level = "info"
	LevelWarn      Level = "warn"
	LevelUndecided Level = "undecided"
	LevelErr       Level = "err"
)

var levels = []Level{LevelOK, LevelInfo, LevelWarn, LevelUndecided, LevelErr}

// AtLeast reports whether l is as severe as other, or more severe.
func (l Level) AtLeast(other Level) bool {
	return slices.Index(levels, l) >= slices.Index(levels, other)
}

func worse(a, b Level) Level {
	if a.AtLeast(b) {
		return a
	}
	return b
}

// Effect says how a change affects the set of values that a receiver accepts.
type Effect string

// The effects.
const (
	// EffectNone: the same values are accepted.
	EffectNone Effect = "none"
	// EffectNarrows: the new side refuses values that the old side could send.
	EffectNarrows Effect = "narrows"
	// EffectWidens: the new side can send values that the old side refuses.
	EffectWidens Effect = "widens"
	// EffectIncomparable: both.
	EffectIncomparable Effect = "incomparable"
	// EffectMeaning: the same values are accepted, but they mean something else.
	EffectMeaning Effect = "meaning"
)

// Narrows reports whether the new side refuses values that the old side could send.
func (e Effect) Narrows() bool { return e == EffectNarrows || e == EffectIncomparable }

// Widens reports whether the new side can send values that the old side refuses.
func (e Effect) Widens() bool { return e == EffectWidens || e == EffectIncomparable }

// Mirror returns the effect of the opposite change.
func (e Effect) Mirror() Effect {
	switch e {
	case EffectNarrows:
		return EffectWidens
	case EffectWidens:
		return EffectNarrows
	}
	return e
}

// Verdicts holds the levels of a finding for the two orders of upgrades.
type Verdicts struct {
	// ReceiverFirst applies if the receiver of the values is upgraded first.
	ReceiverFirst Level `json:"receiver_first"`
	// SenderFirst applies if the sender of the values is upgraded first.
	SenderFirst Level `json:"sender_first"`
}

// Verdicts returns the levels that follow from an effect. All levels are derived from it.
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

// Category is the subject area of a rule.
type Category string

// The categories.
const (
	CategoryWire    Category = "wire"    // values and their schemas
	CategoryMethods Category = "methods" // requests and notifications
	CategoryTools   Category = "tools"   // tools, how they are called, and their annotations
	CategoryServer  Category = "server"  // everything else that a server offers
	CategoryModel   Category = "model"   // texts and defaults that a model reads
	CategoryCode    Category = "code"    // generated code
)

// Rule describes one kind of change.
type Rule struct {
	ID       string   `json:"id"`
	Category Category `json:"category"`
	Effect   Effect   `json:"effect"`
	// Mirror is the rule for the opposite change.
	Mirror string `json:"mirror"`
	// Message says what changed. {0}, {1} and so on are the arguments of the finding.
	Message string `json:"message"`
	Doc     string `json:"doc"`
	// Args names the arguments of a finding.
	Args []string `json:"args,omitempty"`
	// Harm says what fails if the change breaks something. {sender} and {receiver} are the two
	// peers. {sent} is the value that the sender has of the arguments "before" and "after";
	// {expected} is the value that the receiver has.
	Harm string `json:"harm"`
	// Keyword is the member at a finding's places that changed, as a relative JSON Pointer that
	// may contain arguments. "" means the place itself.
	Keyword string `json:"keyword,omitempty"`
	// Presence means that the first argument names a member that one side lacks or does not
	// require.
	Presence bool `json:"presence,omitempty"`
	// Promise means that the change is about a promise of a tool's annotations. The message is
	// then a predicate whose subject is the tool.
	Promise bool `json:"promise,omitempty"`
	// Version is the smallest part of a semantic version that must change.
	Version Version `json:"version" jsonschema:"enum=minor,enum=patch"`
}

// Names of arguments that many rules share.
const (
	argBefore = "before"
	argAfter  = "after"
)

// Guard is a reason why a change that would break something does not, or not always.
type Guard struct {
	ID string `json:"id"`
	// Level replaces err.
	Level Level `json:"level"`
	// SenderOnly guards do not lower the verdict for the receiver first.
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
	guardImplied        = "implied"
	guardElsewhere      = "elsewhere"
	guardTemplate       = "covered-by-template"
	guardNotified       = "notified"
	guardMirrored       = "mirrored-header"
)

// Guards returns the guards.
func Guards() []Guard {
	return []Guard{
		{ID: guardTemplate, Level: LevelInfo, Doc: "The other side has another resource or template with the same URIs."},
		{ID: guardNotified, Level: LevelWarn, Doc: "Only notifications are affected. A client that no longer receives them can still request the data."},
		{ID: guardMirrored, Level: LevelWarn, Doc: "Only calls over HTTP are affected. A client whose headers a server refuses requests the list again."},
		{ID: guardOpenObject, Level: LevelInfo, Doc: "Objects of the protocol are open: a receiver ignores members it does not know."},
		{ID: guardIgnoredMember, Level: LevelWarn, Doc: "The object is open: the receiver accepts the member and ignores it."},
		{ID: guardReadAsAnother, Level: LevelWarn, Doc: "The receiver accepts the value as another variant, and loses the members that it does not know."},
		{ID: guardCapability, Level: LevelWarn, Doc: "A peer receives this only if it declares the capability."},
		{ID: guardAskedFor, Level: LevelWarn, Doc: "A peer receives this only if its request asks for it."},
		{ID: guardNoAnswer, Level: LevelWarn, Doc: "A receiver ignores a notification that it does not know, and no answer is expected."},
		{ID: guardListed, Level: LevelInfo, SenderOnly: true, Doc: "A client uses only what the server lists."},
		{ID: guardUndeclared, Level: LevelWarn, Doc: "Only members that neither side declares are affected."},
		{ID: guardImplied, Level: LevelInfo, Doc: "A receiver reads a message without the member as if it had the member's default."},
		{ID: guardElsewhere, Level: LevelInfo, Doc: "The two revisions say this in different messages, so no peer reads the message of the other one."},
		{ID: guardPromisedNobody, Level: LevelInfo, Doc: "The schema constrains nothing."},
	}
}

func guard(id string) Guard {
	list := Guards()
	return list[slices.IndexFunc(list, func(g Guard) bool { return g.ID == id })]
}

// apply lowers verdicts of level err.
func (g Guard) apply(v Verdicts) Verdicts {
	if v.SenderFirst == LevelErr {
		v.SenderFirst = g.Level
	}
	if v.ReceiverFirst == LevelErr && !g.SenderOnly {
		v.ReceiverFirst = g.Level
	}
	return v
}
