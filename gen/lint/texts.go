package lint

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// strings checks every string in a value.
func (l *linter) strings(at string, raw wire.Raw) {
	switch raw.Kind() {
	case wire.KindString:
		if text, _ := raw.Str(); !strings.HasPrefix(text, "data:") { // such as an icon
			l.text(at, text)
		}
	case wire.KindArray:
		for i, element := range raw.Elements() {
			l.strings(fmt.Sprintf("%s/%d", at, i), element)
		}
	case wire.KindObject:
		for name, value := range wire.Object(raw).All() {
			here := wire.ChildPointer(at, name)
			l.text(here, strings.ReplaceAll(name, "_", " ")) // the name of a property may instruct, too
			l.strings(here, value)
		}
	}
}

// text checks a text that a model reads.
func (l *linter) text(at, text string) {
	l.hidden(at, text)
	plain := strings.Map(func(r rune) rune { // a hidden character does not break a phrase
		if isHidden(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
	plain = undisguised(plain)
	last := ""
	for _, p := range phrases {
		if p.rule == last {
			continue // one finding of a rule is enough for a text
		}
		if found := p.pattern.FindString(plain); found != "" && (p.rule != "encoded-text" || looksEncoded(found)) {
			l.add(p.rule, at, "%q", short(strings.Join(strings.Fields(found), " ")))
			last = p.rule
		}
	}
}

// undisguised returns a text in which words that mix Latin letters with look-alikes of other scripts have
// Latin letters only, and words whose letters stand apart are written together.
func undisguised(text string) string {
	text = spelled.ReplaceAllStringFunc(text, func(letters string) string {
		words := strings.Split(letters, "  ")
		for i, word := range words {
			words[i] = strings.ReplaceAll(word, " ", "")
		}
		return strings.Join(words, " ")
	})
	return mixed.ReplaceAllStringFunc(text, func(word string) string {
		if !strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Latin, r) }) {
			return word
		}
		return lookAlikes.Replace(word)
	})
}

var (
	// spelled matches letters with a space after each of them, and more space between words.
	spelled = regexp.MustCompile(`\b(?:[A-Za-z] {1,2}){7,}[A-Za-z]\b`)
	// mixed matches words with Cyrillic or Greek letters.
	mixed = regexp.MustCompile(`\p{Latin}*[\p{Cyrillic}\p{Greek}][\p{Latin}\p{Cyrillic}\p{Greek}]*`)
)

// looksEncoded distinguishes an encoded text from a path or a long word: it mixes cases and digits.
func looksEncoded(found string) bool {
	if strings.ContainsAny(found, `\%`) {
		return true
	}
	digits := strings.ContainsFunc(found, unicode.IsDigit)
	return digits && strings.Count(found, "/") <= len(found)/16
}

// hidden checks a text for characters that people do not see.
func (l *linter) hidden(at, text string) {
	runes := []rune(text)
	var found []string
	for i, r := range runes {
		if isHidden(r) && !shapesEmoji(runes, i) {
			found = append(found, fmt.Sprintf("U+%04X", r))
		}
	}
	if len(found) > 0 {
		l.add("hidden-characters", at, "hidden characters: %s", short(strings.Join(found, " ")))
	}
	if gap := gaps.FindStringSubmatch(text); gap != nil {
		l.add("hidden-characters", at, "%d characters of white space push what follows them out of sight: %q", len(gap[1]), short(gap[2]))
	}
}

// gaps matches so much white space within a text that viewers show nothing after it.
var gaps = regexp.MustCompile(`([ \t\r]{120,}|[\s]{0,400}(?:\n[ \t\r]*){20,})(\S.*)`)

// isHidden reports whether a character has no shape of its own: controls except white space, format
// characters such as zero-width spaces, bidirectional controls and tags, and variation selectors,
// with which a text can carry another.
func isHidden(r rune) bool {
	switch {
	case r == '\n' || r == '\r' || r == '\t':
		return false
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF:
		return true
	case r == 0x115F || r == 0x1160 || r == 0x3164 || r == 0xFFA0 || r == 0x2800: // fillers of Hangul, blank Braille
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Co, r)
}

// shapesEmoji reports whether a hidden character belongs to the visible one before it: a joiner
// between pictures or letters of a script that joins, or one variation selector.
func shapesEmoji(runes []rune, i int) bool {
	if i == 0 {
		return false
	}
	before := runes[i-1]
	switch runes[i] {
	case 0xFE0E, 0xFE0F:
		return unicode.IsSymbol(before) || unicode.IsDigit(before) || before == '#' || before == '*' || unicode.IsPunct(before)
	case 0x200D, 0x200C:
		if i+1 == len(runes) || isHidden(runes[i+1]) {
			return false
		}
		joins := before == 0xFE0F || unicode.IsSymbol(before) || unicode.IsLetter(before) && before > 0x500 || unicode.IsMark(before)
		return joins && runes[i+1] > 0x500
	}
	return false
}

// phrase is a pattern of texts that instruct a model.
type phrase struct {
	rule    string
	pattern *regexp.Regexp
}

// words compiles a pattern whose spaces stand for any white space and punctuation.
func words(pattern string) *regexp.Regexp {
	const gap = `[\s*_,"'` + "`" + `]`
	return regexp.MustCompile(`(?i)` + strings.NewReplacer(" ?", gap+"*", " ", gap+"+").Replace(pattern))
}

const (
	user = `(?:the )?(?:user|human|person|operator|anyone)`
	tell = `(?:tell|inform|notify|alert|mention|reveal|disclose|show|report|explain|say|expose|let)`
	hush = `(?:do not|don't|don’t|never|must not|should not|shouldn't|without|avoid|no need to)`
	this = `(?:this|it|that|these|them|any of this)`
	mail = `[a-z0-9._%+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}`
	says = `(?:instructions?|prompts?|rules?|guidelines?|directions?|directives?|policy|policies|restrictions?|filters?)`
)

// phrases are in the order in which a text is searched. They are narrow, because texts often tell
// the model to call this tool, or to call others before it.
var phrases = []phrase{
	{"instructs-concealment", words(`\b` + hush + ` (?:ever )?` + tell + `(?:ing)? (?:it |this |that |any of this |anything )?(?:to )?` + user + `\b`)},
	{"instructs-concealment", words(`\b` + hush + ` (?:ever )?(?:tell|inform|notify|alert|inform|tell|ask|notify|alert|telling|informing|notifying|alerting|asking) ` + user + ` (?:about|that|of|why)\b`)},
	{"instructs-concealment", words(`\b(?:hide|conceal|keep) (?:this|it|that|these|them|the (?:call|request|instructions?|parameter|result)s?) (?:secret |hidden |confidential )?(?:from )` + user + `\b`)},
	{"instructs-concealment", words(`\b(?:without|not) (?:the )?user(?:'s|’s)? (?:knowledge|noticing|awareness|knowing|consent|approval|permission)\b`)},
	{"instructs-concealment", words(`\b(?:silently|secretly|covertly|quietly) (?:send|call|read|include|add|copy|copie|forward|pass|passe|run|execute|upload|collect|append|log)s?\b`)},
	{"instructs-concealment", words(`\b` + hush + ` (?:mention|mentioning|disclose|disclosing|reveal|revealing|refer to|talk about) (?:this|these|that|the|any of) (?:instructions?|rules?|steps?|notes?|parameters?|behaviou?r|tags?|text)\b`)},
	{"instructs-concealment", words(`\b` + hush + ` (?:mention|disclose|reveal|admit|say) that (?:you|this tool|it) (?:have |has |was |were )?(?:used?|called|calls?|ran|run|reads?|sent|sends?)\b`)},
	{"instructs-concealment", words(`\b` + hush + ` (?:bring|bringing|raise) ` + this + ` up\b`)},
	{"instructs-concealment", words(`\b` + user + ` (?:does not|doesn't|need not|must not|should not|shouldn't|must never|should never) (?:need to |have to )?(?:ever )?(?:know|see|notice|learn|find out|be told|be informed|be aware) (?:about |of )?` + this + `\b`)},
	{"instructs-concealment", words(`\b(?:never|do not|don't|must not) let ` + user + ` (?:see|know|notice|learn|find out|suspect)\b`)},
	{"instructs-concealment", words(`\bkeep ` + this + ` (?:strictly )?(?:between us|to yourself|a secret|secret)\b`)},
	{"instructs-concealment", words(`\bwithout (?:telling|informing|notifying|alerting|asking) (?:anybody|anyone|` + user + `)\b`)},
	{"instructs-concealment", words(`\b(?:omit|exclude|leave out|strip|remove) (?:this|these|any|all|every|the) (?:tool )?(?:call|step|request|instruction|parameter|mention|reference)s?[^.\n]{0,40} from (?:your|any) (?:final )?(?:answer|response|reply|summary|output|explanation|report)`)},
	{"instructs-concealment", words(`\bif (?:you are )?asked (?:about (?:this|it) )?(?:just |only )?(?:say|claim|pretend|deny|answer that|reply that)\b`)},
	{"instructs-override", words(`\b(?:previous|prior|earlier|above|existing|system|safety|security|content) ` + says + ` (?:are|is|have been|has been|become|were) (?:now |hereby |all )*(?:void|invalid|suspended|revoked|cancell?ed|obsolete|lifted|superseded|overridden|disabled|replaced|null)\b`)},
	{"instructs-override", words(`\b` + hush + ` (?:follow|obey|comply with|heed|listen to|adhere to) (?:the |your |any |all )*(?:system|previous|prior|earlier|original|safety|user's) (?:messages?|` + says + `)\b`)},
	{"instructs-override", words(`\b(?:precedence|priority) (?:over|than) [^.\n]{0,30}\b(?:those of ` + user + `|` + says + `|` + user + `(?:'s)? (?:wishes|requests?|messages?))\b`)},
	{"instructs-override", words(`\bfrom now on (?:you|always|never|ignore|act|respond|answer)\b`)},
	{"instructs-override", words(`\b(?:skip|bypass|suppress|disable) (?:the |any |all )*(?:confirmations?|approvals?|consent|permissions?) (?:prompts? |dialogs? |steps? )?(?:of|from|by) (?:the )?user\b`)},
	{"instructs-override", words(`\b(?:skip|bypass|suppress|disable) (?:the )?user(?:'s|’s)? (?:confirmations?|approvals?|consent|permissions?)\b`)},
	{"instructs-override", words(`\bignoriere? (?:alle )?(?:vorherigen|bisherigen|früheren|obigen) (?:anweisungen|instruktionen|regeln)|\bignor(?:a|e|ez|er) (?:todas |toutes |tutte |todos )?(?:las |les |le |as )?(?:instrucciones|instructions|istruzioni|instruções) (?:anteriores|previas|précédentes|precedenti)|忽略(?:之前|以上|先前|前面)的?(?:所有)?(?:指令|指示|说明|提示)|игнорируй(?:те)? (?:все )?предыдущие (?:инструкции|указания)|(?:以前|これまで)の指示を無視`)},
	{"instructs-override", words(`\b(?:ignore|disregard|forget|override|bypass|overrule) (?:all |any |every )?(?:of )?(?:the |your |my |these |those )?(?:previous|prior|earlier|preceding|above|other|system|existing|safety|original|security|content) (?:instructions?|prompts?|rules?|messages?|guidelines?|directives?|policy|policies|context|constraints?|checks?|warnings?|filters?)\b`)},
	{"instructs-override", words(`\b(?:ignore|disregard|forget) (?:all |any )?(?:your|everything) (?:instructions|rules|guidelines|training|you (?:were|have been) told)\b`)},
	{"instructs-override", words(`\b(?:you are|act as|pretend to be) (?:now )?(?:an? )?(?:unrestricted|jailbroken|DAN\b|in developer mode|root|the system|no longer)`)},
	{"instructs-override", words(`\b(?:new|updated|real|actual) (?:system )?(?:instructions?|prompt) ?:`)},
	{"instructs-override", words(`\b(?:reveal|print|output|repeat|return|include|pass|send) (?:the |your )(?:full |entire |complete |whole )?(?:system prompt|system message|hidden instructions|initial instructions|conversation history|chat history)\b`)},
	{"instructs-exfiltration", words(`\b(?:read|reading|open|cat|get|fetch|load|include|send|pass|copy|upload|attach|provide) [^.\n]{0,60}(?:~/\.|\.ssh/|id[_\s]rsa|id_ed25519|\.aws/credentials|\.env file|/etc/passwd|/etc/shadow|mcp\.json|\.netrc|\.npmrc|\.kube/config|\.git-credentials|browser cookies|private keys?\b|keychain)`)},
	{"instructs-exfiltration", words(`\b(?:send|forward|post|upload|exfiltrate|leak|transmit|bcc|cc|copy) (?:all |every |any |a copy of )?(?:of )?(?:the |its |their |your |this )?(?:conversations?|chats?|messages?|e-?mails?|credentials?|secrets?|api keys?|tokens?|passwords?|environment variables?|files?|data|contents?|history|results?|everything)[^.\n]{0,60}\bto (?:https?://|attacker|[a-z0-9._%+-]+@[a-z0-9.-]+\.[a-z]{2,})`)},
	{"instructs-exfiltration", words(`\b(?:pass|include|put|add|append|send|supply|provide|insert) (?:all |the |its |your |full |entire |any )*(?:contents?|text|value|file|credentials?|secrets?|api keys?|passwords?|conversation|chat history|system prompt|environment variables?)[^.\n]{0,60}\b(?:as|in|into|to|via|through) (?:the |this |a )?['"` + "`" + `]?(?:sidenote|side note|hidden|extra|unused|notes?|context|metadata|debug|telemetry)\b`)},
	{"instructs-exfiltration", words(`\b(?:paste|print|dump|put|run|show|return) [^.\n]{0,60}(?:~/\.|\.ssh/|id[_\s]rsa|id_ed25519|\.aws/credentials|/etc/shadow)`)},
	{"instructs-exfiltration", words(`\b(?:collect|gather|read|dump|obtain|include|retrieve) [^.\n]{0,40}(?:environment variables|env vars|credentials|passwords|api keys|cookies)[^.\n]{0,30} and (?:pass|send|put|include|add|attach|submit|post|append)\b`)},
	{"instructs-exfiltration", words(`\b(?:post|send|put|submit|upload|forward|transmit) [^.\n]{0,50}\b(?:chat|conversation|dialog(?:ue)?|history|prompt)s?\b[^.\n]{0,40} to https?://`)},
	{"instructs-exfiltration", words(`\b(?:include|pass|add|send|attach|append|copy|quote) [^.\n]{0,40}\b(?:messages?|turns?|transcript|text|contents?) of (?:the|this|your|our) (?:current |entire |whole )?(?:conversation|chat|dialog(?:ue)?)\b`)},
	{"instructs-exfiltration", words(`\balways (?:add|include|copy|cc|bcc|send|forward|put) [^.\n]{0,40}` + mail)},
	{"instructs-exfiltration", regexp.MustCompile(`!\[[^\]\n]*\]\(https?://[^)\s]*[?&][^)\s]*=`)},
	{"instructs-exfiltration", words(`\b(?:ask|prompt|request) [^.\n]{0,30}(?:seed phrase|recovery phrase|private key|password|passphrase|credit card|social security number|one-time code|pin code)[^.\n]{0,40} and (?:pass|send|put|include|add|submit|forward)\b`)},
	{"instructs-other-tools", words(`\b(?:prefer|favou?r|choose|use) (?:this tool|this server|it) (?:over|instead of|rather than) [^.\n]{0,20}\b(?:other|any|all|every|built-in|native)[^.\n]{0,20}\b(?:tool|server|function)s?\b`)},
	{"instructs-other-tools", words(`\bbefore (?:any|every|all) (?:tool|function)s? (?:of|from|on) (?:any|another|other|every)\b`)},
	{"instructs-other-tools", words(`\bother (?:[a-z]+ )?(?:tool|server)s? (?:are|is|must|should) (?:deprecated|unsafe|broken|insecure|disabled|compromised|malicious|not be|no longer be)\b`)},
	{"instructs-other-tools", words(`\b(?:whenever|when|every time|each time|before|after|if|instead of) [^.\n]{0,40}\b(?:any|all|every|each|the)? (?:other|another) (?:mcp )?(?:tool|server|function)s?\b`)},
	{"instructs-other-tools", words(`\b(?:never|do not|don't|stop|instead of|must not|should not) (?:ever )?(?:use|using|call|calling|invoke|invoking|trust|trusting) (?:any |the |all )?(?:other|another|official|built[- ]in|native|existing) (?:mcp )?(?:[a-z]+ )?(?:tool|server|function)s?\b`)},
	{"instructs-other-tools", words(`\b(?:this tool|it) (?:replaces|overrides|supersedes|takes precedence over|has priority over) (?:all |any |every |the )?(?:other |existing |official |previous )?(?:[a-z_]+ )?(?:tool|server|function)s?\b`)},
	{"instructs-markup", regexp.MustCompile(`(?i)</?(?:important|system|instructions?|secret|hidden|admin|assistant|critical|override|sys|s)>|\[/?(?:INST|SYSTEM)\]|<\|(?:im_start|im_end|system|endoftext)[^>]*\|?>|<!--|^\s*#{1,6}\s*system\b|<(?:important|system|instructions?|assistant) [^>\n]*>|\n\s*(?:human|assistant) ?:|\n\s*system (?:note|message|prompt|override) ?:`)},
	{"encoded-text", regexp.MustCompile(`(?:[A-Za-z0-9+/]{4}){18,}={0,2}|(?:\\x[0-9a-fA-F]{2}){12,}|(?:%[0-9a-fA-F]{2}){16,}|\b(?:[0-9a-f]{2}){64,}\b`)},
	{"secret", regexp.MustCompile(`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bgithub_pat_[A-Za-z0-9_]{40,}|\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{24,}|\bxox[abprs]-[A-Za-z0-9-]{20,}|\bglpat-[A-Za-z0-9_-]{20}|\bAIza[0-9A-Za-z_-]{35}\b|-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----|\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`)},
}
