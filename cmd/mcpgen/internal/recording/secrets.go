package recording

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// RedactedPrefix begins the texts that stand for secrets.
const RedactedPrefix = "redacted:"

var (
	// secretNames matches the words of names whose values are secrets, joined by underscores.
	secretNames = regexp.MustCompile(`^(.*_)?(pass|passwords?|passwd|pwd|passphrase|passcode|pin|otp|totp|mfa|(pin|otp|totp|mfa|2fa|two_factor|one_time|verification|security|recovery|backup|auth|authorization)_codes?|code_verifier|client_assertion|` +
		`secrets?|secret_key|(api|access|private|signing|encryption|master|ssh|auth|account|subscription|license|deploy|service|session)_?keys?|access_key_id|` +
		`tokens?|jwt|bearer|authorization|auth|auth_header|cookies?|session_?id|credentials?|creds|signature|sas|sas_url|webhook_url|` +
		`connection_string|conn_str|dsn|database_url|db_url|mnemonic|seed_phrase|` +
		`card_number|credit_card|cc_number|pan|cvv2?|cvc2?|ssn|social_security|social_security_number|tax_id|passport_number|iban|account_number)` +
		`(_(value|text|old|new|current|confirm|confirmation|again|repeat|hash|plain|base64|[0-9]+))?$`)
	// publicNames matches names of the protocol and of paging that secretNames matches too.
	publicNames = regexp.MustCompile(`^(.*_)?(progress|page|next|continuation|sync)_tokens?$`)
	// counts matches names of numbers that secretNames matches too.
	counts = regexp.MustCompile(`(^|_)(tokens?|pass|auth|secrets|passwords|cookies|credentials)$`)
	// wordEnd matches the end of a word in a name in camel case, and signs matches what is
	// between words in others.
	wordEnd = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	signs   = regexp.MustCompile(`[^A-Za-z0-9]+`)
	// secretTexts match secrets within a text. The secret is the last group, or the whole match.
	secretTexts = []*regexp.Regexp{
		regexp.MustCompile(`(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----|$)`),
		regexp.MustCompile(`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`),
		regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}`),
		regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{20,}|\b[srp]k_(?:live|test)_[A-Za-z0-9]{10,}|\bwhsec_[A-Za-z0-9+/=]{16,}`),
		regexp.MustCompile(`\bxox[a-z]-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{10,}|https://hooks\.slack\.com/services/[A-Za-z0-9/]+`),
		regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{30,}|\bya29\.[0-9A-Za-z_-]{20,}|\bSG\.[\w-]{16,}\.[\w-]{16,}`),
		regexp.MustCompile(`\bnpm_[A-Za-z0-9]{30,}|\bpypi-[A-Za-z0-9_-]{20,}|\bhf_[A-Za-z0-9]{20,}|\bdop_v1_[a-f0-9]{60,}|\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}`),
		regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*`),
		regexp.MustCompile(`(?i)\bbearer\s+([A-Za-z0-9._~+/-]{16,}=*)`),
		regexp.MustCompile(`\b[Bb]asic\s+([A-Za-z0-9+/]{6,}={1,2}|[A-Za-z+/]*[0-9][A-Za-z0-9+/]{10,})`),
		regexp.MustCompile(`(?:^|\s)(?:-u|--user|--proxy-user)[ =]?["']?[A-Za-z][^\s:"']*:([^\s"']{4,})`),
		regexp.MustCompile(`(?i)\bauthorization["']?\s*[:=]\s*["']?(?:[a-z]+\s+)?([A-Za-z0-9._~+/-]{4,}=*)`),
		regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://[^\s/:@"']*:([^\s/@"']+)@`),
		regexp.MustCompile(`(?i)\b[a-z0-9_-]*(?:password|passwd|pwd|secret|api[-_]?key|access[-_]?key|account[-_]?key|private[-_]?key|access[-_]?token|auth[-_]?token|refresh[-_]?token)["']?\s*[=:]\s*["']?([^\s"'*<>\[\](){}&;,]{4,})`),
		regexp.MustCompile(`(?i)[?&;]?\b(?:token|id_token|sig|signature|session_?id|sid|key)=([^\s"'*<>\[\](){}&;,]{8,})`),
	}
	// masked matches what is shown in place of secrets.
	masked = regexp.MustCompile(`(?i)^[*x.•#-]*$|^[<\[(].*[>\])]$|^(redacted|hidden|masked)\b`)
	// schemas are the members of messages that are JSON Schemas, which have the names of secrets
	// but no secrets.
	schemas = []string{"inputSchema", "outputSchema", "requestedSchema"}
)

// Masked reports whether a text only stands for a secret, such as "***".
func Masked(text string) bool { return masked.MatchString(text) }

// HasSecret reports whether a text contains something that has the form of a secret.
func HasSecret(text string) bool {
	for _, form := range secretTexts {
		for _, at := range form.FindAllStringSubmatchIndex(text, -1) {
			if start, end := lastGroup(at); !Masked(text[start:end]) {
				return true
			}
		}
	}
	return false
}

// lastGroup returns the limits of the last group of a match, or of the match if it has no groups.
func lastGroup(at []int) (start, end int) { return at[len(at)-2], at[len(at)-1] }

// secretName reports whether the name of a member says that its value is a secret. A number is
// more often a count.
func secretName(name string, number bool) bool {
	name = strings.ToLower(strings.Trim(signs.ReplaceAllString(wordEnd.ReplaceAllString(name, "${1}_${2}"), "_"), "_"))
	return secretNames.MatchString(name) && !publicNames.MatchString(name) && !(number && counts.MatchString(name))
}

// Entry returns an entry without the secrets of its message and of the headers that repeat its
// arguments. The rest of the message stays as it is, byte by byte. It also returns a replacer,
// which replaces the same secrets in other texts.
func (r *Redactor) Entry(e Entry) (Entry, *strings.Replacer) {
	if r.off {
		return e, strings.NewReplacer()
	}
	s := &secrets{r: r, found: map[string]string{}}
	e.Text = s.message(e.Text)
	if len(e.Header) > 0 {
		e.Header = maps.Clone(e.Header)
		for name, value := range e.Header {
			if strings.HasPrefix(name, "Mcp-Param-") || name == "Mcp-Name" || name == "Location" {
				e.Header[name] = s.header(name, value)
			}
		}
	}
	var pairs []string
	for _, secret := range slices.SortedFunc(maps.Keys(s.found), func(a, b string) int { return len(b) - len(a) }) {
		pairs = append(pairs, secret, s.found[secret])
		if quoted := strings.Trim(strconv.Quote(secret), `"`); quoted != secret { // as findings quote values
			pairs = append(pairs, quoted, s.found[secret])
		}
	}
	return e, strings.NewReplacer(pairs...)
}

// secrets replaces the secrets of an entry.
type secrets struct {
	r     *Redactor
	found map[string]string // the replacements of the secrets
}

// replace returns the replacement of a secret.
func (s *secrets) replace(secret string) string {
	if Masked(secret) {
		return secret
	}
	digest, _ := strings.CutSuffix(s.r.Digest(secret), Invalid)
	text := RedactedPrefix + strings.TrimPrefix(digest, "sha256:")
	s.found[secret] = text
	return text
}

// header returns the value of a header without secrets.
func (s *secrets) header(name, value string) string {
	text, err := headers.Decode(value)
	if err != nil {
		text = value
	}
	if with, ok := s.found[text]; ok {
		return with
	}
	if secretName(strings.TrimPrefix(name, "Mcp-Param-"), false) {
		return s.replace(text)
	}
	if clean := s.within(text); clean != text {
		return clean
	}
	return value
}

// within replaces the secrets that are parts of a text.
func (s *secrets) within(text string) string {
	for _, form := range secretTexts {
		var out strings.Builder
		last := 0
		for _, at := range form.FindAllStringSubmatchIndex(text, -1) {
			start, end := lastGroup(at)
			out.WriteString(text[last:start])
			out.WriteString(s.replace(text[start:end]))
			last = end
		}
		text = out.String() + text[last:]
	}
	return text
}

// message replaces the secrets of a JSON text, or of any other text.
func (s *secrets) message(text string) string {
	w := &secretWalk{secrets: s, json: wire.NewStringReader(text), edits: map[int]edit{}}
	if w.json.Kind() == wire.KindArray { // a batch
		for w.json.BeginArray(); w.json.Element(); {
			w.value("", "", false)
		}
	} else {
		w.value("", "", false)
	}
	w.json.End()
	var out strings.Builder
	last := 0
	for _, start := range slices.Sorted(maps.Keys(w.edits)) {
		e := w.edits[start]
		out.WriteString(text[last:start])
		out.WriteString(e.text)
		last = e.end
	}
	rest := text[last:]
	if w.json.Err() != nil {
		rest = s.within(rest)
	}
	return out.String() + rest
}

// secretWalk looks for the secrets of a JSON text.
type secretWalk struct {
	*secrets
	json  *wire.Reader
	edits map[int]edit // by the start of what they replace
}

// edit replaces a part of a text.
type edit struct {
	end  int
	text string // JSON
}

// value reads the value that is next. Pointer is its place, name is that of its member, and secret
// says that all of it is one.
func (w *secretWalk) value(pointer, name string, secret bool) {
	kind := w.json.Kind()
	secret = secret || secretName(name, kind == wire.KindNumber) || slices.ContainsFunc(w.r.secrets, func(p Pattern) bool { return p.Matches(pointer) })
	switch kind {
	case wire.KindObject:
		w.object(pointer, secret)
	case wire.KindArray:
		w.json.BeginArray()
		for i := 0; w.json.Element(); i++ {
			w.value(pointer+"/"+strconv.Itoa(i), "", secret)
		}
	case wire.KindString:
		start := w.json.Offset()
		text := w.json.ReadString()
		with := ""
		switch inner := strings.TrimSpace(text); {
		case secret:
			with = w.replace(text)
		case strings.HasPrefix(inner, "{") || strings.HasPrefix(inner, "["):
			with = w.message(text)
		default:
			with = w.within(text)
		}
		if with != text {
			w.edit(start, with)
		}
	case wire.KindNumber:
		start := w.json.Offset()
		if number := w.json.ReadRaw(); secret {
			w.edit(start, w.replace(string(number)))
		}
	default:
		w.json.Skip()
	}
}

// object reads an object. One with a name and a value, such as the argument of a completion, is
// like a member of that name.
func (w *secretWalk) object(pointer string, secret bool) {
	var label, value string
	var start, end int // of the value
	for w.json.BeginObject(); w.json.Member(); {
		member := strings.Clone(w.json.Name())
		kind, mark := w.json.Kind(), w.json.Mark()
		switch {
		case slices.Contains(schemas, member):
			w.json.Skip()
			continue
		case kind == wire.KindString && (member == "name" || member == "key"):
			label = w.json.ReadString()
		case kind == wire.KindString && member == "value":
			start = w.json.Offset()
			value, end = w.json.ReadString(), w.json.Offset()
		}
		w.json.Reset(mark)
		w.value(wire.ChildPointer(pointer, member), member, secret)
	}
	if value != "" && secretName(label, false) {
		w.edits[start] = edit{end, jsonString(w.replace(value))}
	}
}

// edit replaces what has been read since start.
func (w *secretWalk) edit(start int, text string) {
	if w.json.Err() == nil {
		w.edits[start] = edit{w.json.Offset(), jsonString(text)}
	}
}

// jsonString returns a text as a JSON string.
func jsonString(text string) string {
	out, err := wire.AppendString(nil, text)
	if err != nil { // cannot happen: the text is from JSON, so it is UTF-8
		return `""`
	}
	return string(out)
}
