package diff

// Profile is a named strictness: what a comparison is about. Each profile includes those before it.
type Profile string

// The profiles. Without one, changes of texts for models are reported as warnings, which do not fail.
const (
	// ProfileWire is about messages that a peer refuses.
	ProfileWire Profile = "wire"
	// ProfileTyped is also about programs that no longer compile with the generated client, or mean something else.
	ProfileTyped Profile = "typed"
	// ProfileModel is also about texts and promises by which a model chooses what it does.
	ProfileModel Profile = "model"
)

// Profiles returns the profiles, the mildest first.
func Profiles() []Profile { return []Profile{ProfileWire, ProfileTyped, ProfileModel} }

// Code reports whether findings about generated code belong to the profile.
func (p Profile) Code() bool { return p == ProfileTyped || p == ProfileModel }

const ruleCode = "generated-go"

// AddCode adds a finding about generated code: what the client declares for a tool under a name, of
// which old and new are the Go types.
func (r *Report) AddCode(tool, name, old, new string) {
	rule := ruleTable()[ruleCode]
	args := []string{name, old, new}
	subject := name
	if tool != "" {
		subject = tool + ".go." + name
	}
	r.Findings = append(r.Findings, &Finding{
		Rule: ruleCode, Category: CategoryCode, Effect: rule.Effect, Verdicts: rule.Effect.Verdicts(), Direction: BothWays,
		Tool: tool, Subject: subject, Args: args, Message: message(rule, args), Uses: []string{"the generated client"},
		Fingerprint: fingerprint(r.Kind, ruleCode, subject, args),
	})
}

// apply sets the levels of a finding for the profile.
func (p Profile) apply(f *Finding, rule Rule) {
	if (p == ProfileWire || p == ProfileTyped) && forModels(rule) {
		f.ServerFirst.Level, f.ClientFirst.Level = LevelInfo, LevelInfo
	}
}

// fails reports whether a finding fails by the profile alone.
func (p Profile) fails(f *Finding, rule Rule) bool {
	return p == ProfileModel && forModels(rule) && f.Level.AtLeast(LevelWarn)
}

// forModels reports whether a rule is about texts and promises by which a model chooses what it
// does.
func forModels(rule Rule) bool {
	return rule.Promise || rule.Category == CategoryModel
}
