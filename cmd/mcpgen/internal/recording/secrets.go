package recording

import (
	"encoding/base64"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// RedactedPrefix begins the texts that stand for secrets.
const RedactedPrefix = "redacted:"

// secretWords matches names before secrets in a text.
const secretWords = `password|passwd|pwd|(?-i:_PASS)|(?:db|database|smtp|mail|ftp|user|admin|root|proxy)_pass|pass[-_]?phrase|secret|api[-_]?key|access[-_]?key|account[-_]?key|private[-_]?key|(?:access|auth|refresh)[-_]?token`

var (
	// secretNames matches the words of names whose values are secrets, joined by underscores.
	secretNames = regexp.MustCompile(`^(.*_)?(pass|[a-z]*passwords?|[a-z]*passwd|pwd|pass_?phrase|pass_?code|pin|otp|totp|mfa|(pin|otp|totp|mfa|2fa|two_factor|one_time|verification|security|recovery|backup|auth|authorization)_codes?|code_verifier|client_assertion|` +
		`[a-z]*secrets?|(api|access|secret|private|signing|encryption|decryption|hmac|master|ssh|auth|account|subscription|license|deploy|service|session)_?keys?|access_key_id|` +
		`tokens?|(access|auth|refresh|id|bearer|api|session|csrf|xsrf|bot)tokens?|jwt|bearer|authorization|auth|auth_header|cookies?|session_?id|credentials?|creds|signature|sas|sas_url|webhook_url|` +
		`connection_string|conn_str|dsn|database_url|db_url|mnemonic|seed_phrase|` +
		`card_number|credit_card|cc_number|pan|cvv2?|cvc2?|ssn|social_security|social_security_number|tax_id|passport_number|iban|account_number)` +
		`(_(value|text|old|new|current|confirm|confirmation|again|repeat|hash|plain|base64|pem)|_?[0-9]+)?$`)
	// publicNames matches names of the protocol and of paging that secretNames matches too.
	publicNames = regexp.MustCompile(`^(.*_)?(progress|page|next|continuation|sync)_tokens?$`)
	// counts matches names of numbers that secretNames matches too.
	counts = regexp.MustCompile(`(^|_)(tokens?|pass|auth|[a-z]*secrets|[a-z]*passwords|cookies|credentials)_?[0-9]*$`)
	// terms matches what texts have after the name of a secret when they are about it: a type, a state or an encoding.
	terms = regexp.MustCompile(`(?i)^((true|false|null|nil|none|string|required|optional|enabled|disabled|identifier)[.;!?]*|(x-)?api-?key-?[0-9]|` +
		`(base(16|32|58|64)|utf-?(8|16|32)|sha-?(1|224|256|384|512)|md5|rsa-?[1-8][0-9]{3}|[hrep]s(256|384|512)|ed25519|oauth-?2|ipv[46]|gpt-?[1-9])([-_][a-z]+)?|cl100k_base|o200k_base)$`)
	// wordEnd matches the end of a word in a name in camel case, and signs matches what is
	// between words in others.
	wordEnd = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	signs   = regexp.MustCompile(`[^A-Za-z0-9]+`)
	// flags matches the flag of a command whose value may be the next argument.
	flags = regexp.MustCompile(`^--?[A-Za-z][A-Za-z0-9_-]*$`)
	// plain matches short names, which are not searched for secrets. Most names are short.
	plain = regexp.MustCompile(`^[$_A-Za-z0-9-]{0,14}$`)
	// secretTexts match secrets within a text. The secret is the group that matches, or the whole match.
	secretTexts = []*regexp.Regexp{
		regexp.MustCompile(`(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----|$)`),
		regexp.MustCompile(`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`),
		regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bgl(?:pat|dt|rt|ft|cbt|ptt|oas|soat|imt|agent)-[A-Za-z0-9_-]{16,}`),
		regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{20,}|\b[srp]k_(?:live|test)_[A-Za-z0-9]{10,}|\bwhsec_[A-Za-z0-9+/=]{16,}`),
		regexp.MustCompile(`\bxox[a-z]-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{10,}|https://hooks\.slack\.com/services/[A-Za-z0-9/]+`),
		regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{30,}|\bya29\.[0-9A-Za-z_-]{20,}|\bSG\.[\w-]{16,}\.[\w-]{16,}`),
		regexp.MustCompile(`\bnpm_[A-Za-z0-9]{30,}|\bpypi-[A-Za-z0-9_-]{20,}|\bhf_[A-Za-z0-9]{20,}|\bdop_v1_[a-f0-9]{60,}|\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}`),
		regexp.MustCompile(`\b(?:gsk|r8|tvly|pplx|xai|ntn|figd|sbp|sntry[su]|glsa|dckr_pat|lin_api|pscale_tkn|PMAK|NRAK|HRKU)[_-][A-Za-z0-9_]{20,}|\b(?:GOCSPX|sq0[a-z]{3})-[A-Za-z0-9_-]{20,}|\bhvs\.[A-Za-z0-9_-]{20,}|\bdp\.[a-z]{2,5}\.[A-Za-z0-9]{30,}|\bATATT3x[A-Za-z0-9_=-]{20,}`),
		regexp.MustCompile(`\b(?:dapi|SK|key-)[0-9a-f]{32}\b|\b[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}|\bAGE-SECRET-KEY-1[0-9A-Z]{30,}`),
		regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*`),
		regexp.MustCompile(`(?i)\bbearer\s+([A-Za-z0-9._~+/-]{16,}=*)`),
		regexp.MustCompile(`\b[Bb]asic\s+([A-Za-z0-9+/]{6,}={1,2}|[A-Za-z+/]*[0-9][A-Za-z0-9+/]{10,})`),
		regexp.MustCompile(`(?:^|\s)(?:-u|--user|--proxy-user)[ =]?["']?[A-Za-z][^\s:"']*:([^\s"']{4,})`),
		regexp.MustCompile(`(?i)\bauthorization["']?\s*[:=]\s*["']?(?:[a-z]+\s+)?([A-Za-z0-9._~+/-]{4,}=*)`),
		regexp.MustCompile(`(?i)\b(?:set-)?cookie["']?\s*:\s*["']?[^\s"'=:;,]+="?([^"'\r\n]+)`),
		regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://(?:[^\s/:@"']*:([^\s/@"']+)|([^\s/:@"']{20,}))@`),
		regexp.MustCompile(`(?i)\b[a-z0-9_-]*(?:` + secretWords + `)\\*["']?\s*[=:]\s*(?:\\+["']([^"'\\\r\n]{4,})|"((?:[^"\\\r\n]|\\.){4,})"|'([^'\r\n]{4,})'|["']?([^\s"'*<>\[\](){}&;,]{4,}))`),
		regexp.MustCompile(`(?i)(?:` + secretWords + `|token)\s+is:?\s+["']?([a-z][^\s"']{2,}[0-9](?:[^\s"']*[^\s"'.,;:!?])?)`),
		regexp.MustCompile(`(?i)(?:^|\s)--[a-z0-9_-]*(?:` + secretWords + `|token)\s+["']?([^\s"'<\[({$-][^\s"'0-9]*[0-9][^\s"']*)`),
		regexp.MustCompile(`(?i)<[a-z0-9_:.-]*(?:` + secretWords + `|token)>\s*([^\s<][^<]{3,})</`),
		regexp.MustCompile(`(?i)[a-z0-9_-]*token(?:\\*["']\s*[=:]\s*\\*["']([^"'\\\r\n]{4,})|:\s*([A-Za-z_.~+/-]*[0-9][A-Za-z0-9_.~+/-]{3,}=*))`),
		regexp.MustCompile(`(?i)[a-z0-9_-]*token\s*=\s*["']?([^\s"'*<>\[\](){}&;,]{8,})`),
		regexp.MustCompile(`(?i)[?&;]?\b(?:sig|signature|session_?id|sid|key)=([^\s"'*<>\[\](){}&;,]{8,})`),
	}
	// masked matches what is shown in place of secrets.
	masked = regexp.MustCompile(`(?i)^[*x.•#-]*$|^[<\[(].*[>\])]$|^\$\{.*\}$|^(redacted|hidden|masked)\b|^sha256:[0-9a-f]{16}$`)
	// schemas are the members of messages that are JSON Schemas, which have the names of secrets
	// before other values.
	schemas = []string{"inputSchema", "outputSchema", "requestedSchema"}
	// valueNames are the members that name the member "value" of the same object.
	valueNames = []string{"name", "key", "id", "header", "field", "variable"}
)

// Masked reports whether a text only stands for a secret, such as "***".
func Masked(text string) bool { return masked.MatchString(text) }

// HasSecret reports whether a text contains something that has the form of a secret.
func HasSecret(text string) bool {
	for _, form := range secretTexts {
		for start, end := range secretsOf(form, text) {
			if !Masked(text[start:end]) {
				return true
			}
		}
	}
	return false
}

// secretsOf yields the limits of the secrets of a form in a text. A name before one may be public, and what follows
// a name may be a term.
func secretsOf(form *regexp.Regexp, text string) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for _, at := range form.FindAllStringSubmatchIndex(text, -1) {
			start, end := at[0], at[1]
			for i := 2; i < len(at); i += 2 {
				if at[i] >= 0 {
					start, end = at[i], at[i+1]
				}
			}
			if !publicNames.MatchString(words(text[at[0]:start])) && !terms.MatchString(text[start:end]) && !yield(start, end) {
				return
			}
		}
	}
}

// words returns a name in lower case, with its words joined by underscores.
func words(name string) string {
	return strings.ToLower(strings.Trim(signs.ReplaceAllString(wordEnd.ReplaceAllString(name, "${1}_${2}"), "_"), "_"))
}

// secretName reports whether the name of a member says that its value is a secret. A number is
// more often a count.
func secretName(name string, number bool) bool {
	name = words(name)
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
		for start, end := range secretsOf(form, text) {
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
	w := &secretWalk{secrets: s, json: wire.Raw(text).Reader(), edits: map[int]edit{}}
	if w.json.Kind() == wire.KindArray { // a batch
		for w.json.BeginArray(); w.json.Element(); {
			w.value("", "", false)
		}
	} else {
		w.value("", "", false)
	}
	rest := func(part string) string { return part }
	if _, err := wire.Parse(text); err != nil { // a secret may stand where the walk expects other JSON
		rest = s.within
	}
	var out strings.Builder
	last := 0
	for _, start := range slices.Sorted(maps.Keys(w.edits)) {
		e := w.edits[start]
		out.WriteString(rest(text[last:start]))
		out.WriteString(e.text)
		last = e.end
	}
	return out.String() + rest(text[last:])
}

// secretWalk looks for the secrets of a JSON text.
type secretWalk struct {
	*secrets
	json  *wire.Reader
	edits map[int]edit // by the start of what they replace
	plain bool         // within a schema: names say nothing
}

// edit replaces a part of a text.
type edit struct {
	end  int
	text string // JSON
}

// value reads the next value. Pointer is its place. Name is the name of its member, or the flag before it in an array
// of arguments. If secret is true, the whole value is a secret.
func (w *secretWalk) value(pointer, name string, secret bool) {
	kind := w.json.Kind()
	secret = secret || w.names(name, kind == wire.KindNumber) || slices.ContainsFunc(w.r.secrets, func(p Pattern) bool { return p.Matches(pointer) })
	switch kind {
	case wire.KindObject:
		w.object(pointer, secret)
	case wire.KindArray:
		w.json.BeginArray()
		flag := ""
		for i := 0; w.json.Element(); i++ {
			next := ""
			if mark := w.json.Mark(); w.json.Kind() == wire.KindString {
				if text := w.json.ReadString(); flags.MatchString(text) {
					flag, next = "", strings.Clone(text)
				}
				w.json.Reset(mark)
			}
			w.value(pointer+"/"+strconv.Itoa(i), flag, secret)
			flag = next
		}
	case wire.KindString:
		start := w.json.Offset()
		text := w.json.ReadString()
		with := ""
		switch inner := strings.TrimSpace(text); {
		case secret:
			with = w.replace(text)
		case strings.HasPrefix(inner, "{") || strings.HasPrefix(inner, "[") || strings.HasPrefix(inner, `"`):
			with = w.message(text)
		default:
			before := ""
			if flags.MatchString(name) && w.within(name) == name {
				before = name + " "
			}
			with = strings.TrimPrefix(w.within(before+text), before)
			if inner := decoded(text); inner != "" && w.message(inner) != inner {
				with = w.replace(text)
			}
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

// names is secretName outside schemas.
func (w *secretWalk) names(name string, number bool) bool {
	return !w.plain && secretName(name, number)
}

// object reads an object. One with a name and a value, such as the argument of a completion, is
// like a member of that name.
func (w *secretWalk) object(pointer string, secret bool) {
	var named bool // by one of valueNames
	var value string
	var start, end int // of the value
	for w.json.BeginObject(); w.json.Member(); {
		member := strings.Clone(w.json.Name())
		kind, mark := w.json.Kind(), w.json.Mark()
		if !plain.MatchString(member) {
			if clean := w.within(member); clean != member {
				w.json.ResetToName()
				w.json.ReadString()
				w.edit(w.json.NameAt(), clean)
				w.json.Reset(mark)
			}
		}
		switch {
		case kind == wire.KindString && slices.Contains(valueNames, member):
			named = w.names(w.json.ReadString(), false) || named
		case kind == wire.KindString && member == "value":
			start = w.json.Offset()
			value, end = w.json.ReadString(), w.json.Offset()
		}
		w.json.Reset(mark)
		outside := w.plain
		w.plain = w.plain || slices.Contains(schemas, member)
		w.value(wire.ChildPointer(pointer, member), member, secret)
		w.plain = outside
	}
	if value != "" && named {
		w.edits[start] = edit{end, jsonString(w.replace(value))}
	}
}

// decoded returns the text that a text has in base64, or "".
func decoded(text string) string {
	text = strings.NewReplacer("\r", "", "\n", "", "-", "+", "_", "/").Replace(strings.TrimRight(strings.TrimSpace(text), "="))
	inner, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil || !utf8.Valid(inner) {
		return ""
	}
	return string(inner)
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
