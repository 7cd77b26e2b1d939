package recording

import (
	"encoding/json"
	"strings"
	"testing"
)

// secretValues are secrets of different kinds, each as a message that contains it.
var secretValues = map[string]struct{ secret, message string }{
	"password":              {"hunter2", `{"params":{"arguments":{"password":"hunter2"}}}`},
	"camel case":            {"k-123456", `{"params":{"arguments":{"apiKey":"k-123456"}}}`},
	"snake case":            {"k-123456", `{"params":{"arguments":{"my_api_key":"k-123456"}}}`},
	"upper case":            {"abcd", `{"params":{"arguments":{"GITHUB_TOKEN":"abcd"}}}`},
	"token":                 {"abcd", `{"params":{"arguments":{"token":"abcd"}}}`},
	"client secret":         {"abcd", `{"params":{"arguments":{"clientSecret":"abcd"}}}`},
	"number":                {"4821", `{"params":{"arguments":{"pin":4821}}}`},
	"card":                  {"4111111111111111", `{"params":{"arguments":{"card_number":4111111111111111}}}`},
	"nested":                {"abcd", `{"params":{"arguments":{"credentials":{"user":"ada","key":"abcd"}}}}`},
	"array":                 {"abcd", `{"params":{"arguments":{"apiKeys":["abcd"]}}}`},
	"name and value":        {"abcd", `{"params":{"argument":{"name":"password","value":"abcd"}}}`},
	"value and name":        {"abcd", `{"params":{"argument":{"value":"abcd","name":"password"}}}`},
	"escaped name":          {"abcd", `{"params":{"arguments":{"pass\u0077ord":"abcd"}}}`},
	"header":                {"Basic c2VjcmV0", `{"params":{"arguments":{"headers":{"Authorization":"Basic c2VjcmV0"}}}}`},
	"bearer":                {"abcdefghijklmnop", `{"params":{"arguments":{"curl":"curl -H 'X: Bearer abcdefghijklmnop'"}}}`},
	"private key":           {"-----BEGIN RSA PRIVATE KEY----- MIIEow -----END RSA PRIVATE KEY-----", `{"params":{"arguments":{"text":"key: -----BEGIN RSA PRIVATE KEY----- MIIEow -----END RSA PRIVATE KEY-----."}}}`},
	"AWS":                   {"AKIAIOSFODNN7EXAMPLE", `{"params":{"arguments":{"env":"AKIAIOSFODNN7EXAMPLE"}}}`},
	"GitHub":                {"ghp_abcdefghijklmnopqrstuvwxyz0123456789", `{"params":{"arguments":{"q":"use ghp_abcdefghijklmnopqrstuvwxyz0123456789"}}}`},
	"JWT":                   {"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", `{"params":{"arguments":{"q":"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"}}}`},
	"Slack":                 {"xoxb-123456789012-abcdef", `{"params":{"arguments":{"q":"xoxb-123456789012-abcdef"}}}`},
	"Stripe":                {"sk_live_abcdefghijkl", `{"params":{"arguments":{"q":"sk_live_abcdefghijkl"}}}`},
	"connection string":     {"s3cret", `{"params":{"arguments":{"q":"postgres://ada:s3cret@db/app"}}}`},
	"query":                 {"abcdefgh", `{"params":{"uri":"https://example.com/?access_token=abcdefgh&a=1"}}`},
	"basic in a text":       {"YWRhOnMzY3JldA==", `{"params":{"arguments":{"q":"with Basic YWRhOnMzY3JldA=="}}}`},
	"user of curl":          {"s3cret", `{"params":{"arguments":{"cmd":"curl -u ada:s3cret https://example.com"}}}`},
	"code of an app":        {"123456", `{"params":{"arguments":{"otpCode":"123456"}}}`},
	"code of a login":       {"abcd", `{"params":{"arguments":{"authorization_code":"abcd"}}}`},
	"text of a result":      {"abcd", `{"result":{"content":[{"type":"text","text":"{\"apiKey\": \"abcd\"}"}]}}`},
	"structured content":    {"abcd", `{"result":{"structuredContent":{"refresh_token":"abcd"}}}`},
	"form":                  {"abcd", `{"result":{"action":"accept","content":{"passphrase":"abcd"}}}`},
	"batch":                 {"abcd", `[{"params":{"arguments":{"password":"abcd"}}}]`},
	"not JSON":              {"hunter22", `starting with password=hunter22`},
	"JSON that breaks off":  {"hunter22", `{"params":{"arguments":{"note":"ok","text":"password=hunter22`},
	"assignment in a text":  {"hunter22", `{"params":{"data":"connected with api_key: hunter22"}}`},
	"quoted with spaces":    {"my long pass phrase", `{"params":{"arguments":{"note":"ok","text":"password: 'my long pass phrase'"}}}`},
	"quoted with signs":     {"p;s(w)&", `{"params":{"arguments":{"text":"say \"password\": \"p;s(w)&\""}}}`},
	"flag":                  {"hunter22", `{"params":{"arguments":{"cmd":"mysql --password hunter22 -u root"}}}`},
	"environment":           {"hunter22", `{"params":{"arguments":{"env":["MY_TOKEN=hunter22"]}}}`},
	"token in a text":       {"abcd", `{"result":{"content":[{"type":"text","text":"Result: {\"token\": \"abcd\"}"}]}}`},
	"XML":                   {"hunter22", `{"params":{"arguments":{"text":"<password>hunter22</password>"}}}`},
	"JSON text in JSON":     {"abcd", `{"params":{"arguments":{"text":"\"{\\\"token\\\":\\\"abcd\\\"}\""}}}`},
	"base64":                {"VE9LRU49aHVudGVyMjI=", `{"result":{"contents":[{"uri":"file:///.env","blob":"VE9LRU49aHVudGVyMjI="}]}}`},
	"base64 of JSON":        {"eyJ0b2tlbiI6\nImFiY2QifQ", `{"params":{"arguments":{"state":"eyJ0b2tlbiI6\nImFiY2QifQ"}}}`},
	"user of a URL":         {"abcdefghijklmnopqrst", `{"params":{"uri":"https://abcdefghijklmnopqrst@example.com"}}`},
	"schema":                {"ghp_abcdefghijklmnopqrstuvwxyz0123456789", `{"result":{"tools":[{"name":"t","inputSchema":{"properties":{"a":{"default":"ghp_abcdefghijklmnopqrstuvwxyz0123456789"}}}}]}}`},
	"Google client":         {"GOCSPX-abcdefghijklmnopqrstuvwxyz01", `{"params":{"arguments":{"q":"GOCSPX-abcdefghijklmnopqrstuvwxyz01"}}}`},
	"Telegram":              {"123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1", `{"params":{"arguments":{"q":"123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1"}}}`},
	"Vault":                 {"hvs.abcdefghijklmnopqrstuvwxyz01", `{"params":{"arguments":{"q":"hvs.abcdefghijklmnopqrstuvwxyz01"}}}`},
	"by pointer":            {"my note", `{"params":{"arguments":{"note":"my note"}}}`},
	"by pointer with a *":   {"my note", `{"params":{"arguments":{"list":[{"text":"my note"}]}}}`},
	"name of a member":      {"ghp_abcdefghijklmnopqrstuvwxyz0123456789", `{"params":{"arguments":{"seen":{"a ghp_abcdefghijklmnopqrstuvwxyz0123456789":1}}}}`},
	"two elements":          {"hunter", `{"params":{"arguments":{"args":["--verbose","--db-password","hunter","-v"]}}}`},
	"two elements of curl":  {"s3cret", `{"params":{"arguments":{"args":["curl","-u","ada:s3cret"]}}}`},
	"cookie in a text":      {"abc; theme=dark", `{"result":{"content":[{"type":"text","text":"HTTP/1.1 200 OK\r\nset-cookie: sid=abc; theme=dark\r\n"}]}}`},
	"text in brackets":      {"hunter22", `{"params":{"arguments":{"text":"[token=hunter22]"}}}`},
	"text in braces":        {"hunter22", `{"params":{"arguments":{"text":"{\"a\":token=hunter22,\"password\":\"b\"}"}}}`},
	"malformed JSON":        {"hunter22", `{"params":{"arguments":{"note":"ok","text":token=hunter22}}}`},
	"a phrase":              {"abcd", `{"params":{"arguments":{"passPhrase":"abcd"}}}`},
	"a number at the end":   {"abcd", `{"params":{"arguments":{"password2":"abcd"}}}`},
	"joined words":          {"abcd", `{"params":{"arguments":{"clientsecret":"abcd"}}}`},
	"joined words of token": {"abcd", `{"params":{"arguments":{"accesstoken":"abcd"}}}`},
	"a key in PEM":          {"abcd", `{"params":{"arguments":{"privateKeyPem":"abcd"}}}`},
	"variable":              {"hunter22", `{"params":{"arguments":{"env":["DB_PASS=hunter22"]}}}`},
	"header and value":      {"abcd", `{"params":{"arguments":{"headers":[{"header":"X-Api-Key","value":"abcd"}]}}}`},
	"name, id and value":    {"abcd", `{"params":{"arguments":{"env":[{"name":"API_KEY","value":"abcd","id":"7"}]}}}`},
	"small variable":        {"hunter22", `{"params":{"arguments":{"env":["smtp_pass=hunter22"]}}}`},
	"quoted twice":          {"hunter22", `{"params":{"arguments":{"text":"a log with {\\\"password\\\": \\\"hunter22\\\"}"}}}`},
	"token quoted twice":    {"hunter22", `{"params":{"arguments":{"text":"a log with {\\\"token\\\": \\\"hunter22\\\"}"}}}`},
	"a sentence":            {"hunter2", `{"params":{"arguments":{"text":"My password is hunter2."}}}`},
	"all below the pointer": {"my note", `{"params":{"arguments":{"note":{"text":"my note"}}}}`},
}

func TestSecrets(t *testing.T) {
	r, err := NewRedactor("/params/arguments/note", "/params/arguments/list/*/text")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range secretValues {
		t.Run(name, func(t *testing.T) {
			e, secrets := r.Entry(Entry{Text: test.message, Header: map[string]string{"Mcp-Param-Note": test.secret}})
			if strings.Contains(e.Text, test.secret) || !strings.Contains(e.Text, RedactedPrefix) {
				t.Errorf("recorded as %s", e.Text)
			}
			if json.Valid([]byte(test.message)) && !json.Valid([]byte(e.Text)) {
				t.Errorf("no longer JSON: %s", e.Text)
			}
			if e.Header["Mcp-Param-Note"] == test.secret {
				t.Errorf("recorded in a header")
			}
			if text := secrets.Replace("found " + test.secret); strings.Contains(text, test.secret) {
				t.Errorf("a finding says %q", text)
			}
		})
	}
}

// TestNoSecrets expects messages without secrets to be recorded byte by byte.
func TestNoSecrets(t *testing.T) {
	r, err := NewRedactor()
	if err != nil {
		t.Fatal(err)
	}
	for _, message := range []string{
		`{"jsonrpc":"2.0",  "id":1,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":"p"},"arguments":{"maxTokens":5,"tokens":7,"pass":true,"next_page_token":"n"}}}`,
		`{"result":{"tools":[{"name":"login","inputSchema":{"type":"object","properties":{"password":{"type":"string","description":"the password of the user"},"token":{"type":"string","default":"none"}}}}],"nextCursor":"c"}}`,
		`{"params":{"requestedSchema":{"type":"object","properties":{"apiKey":{"type":"string"}}}}}`,
		`{"result":{"prompts":[{"name":"p","arguments":[{"name":"password","description":"of the user","required":true}]}]}}`,
		`{"params":{"level":"error","data":{"password":"***","apiKey":"<hidden>","secret":"","note":"token expired"}}}`,
		`{"result":{"content":[{"type":"text","text":"The bearer of this letter knows a secret. See https://example.com:8080/a@b."}]}}`,
		`{"a":"Basic authentication is on for docker run -u 1000:1000? No: -u root, Basic 101","mfa":true,"country_code":"NL"}`,
		`{"a":"password: \"${PASSWORD}\", nextPageToken=abcdefgh12, Unexpected token: identifier, a --token flag, \"a\" and \"b\"","b":"cGxhaW4gdGV4dA=="}`,
		`{"args":["--password","--token","-p"],"more":["password","hunter","--tokens",5],"text":"Cookie: a small file; Set-Cookie: in HTTP"}`,
		`{"a":"The password is required, a token is 8 bytes, the secret is on page 5.","compass":"north","id":"token","value":5,"secretary":"Bo"}`,
		`{"a":"the password is base64 encoded, the token is utf8, the auth-token is OAuth2, Token is HS256-signed, a secret is SHA-256"}`,
		`{"a":"low_pass: filter, first_pass: 2024-01-02, test_pass=True, render_pass = shadow, password: string; token: required"}`,
		`{"a":"{\\\"password\\\": \\\"string\\\", \\\"token\\\": \\\"identifier\\\"}","pass1":10,"token2":5,"hassecrets":2}`,
		`{"a":"\ud83d\ude00 \u00e9","a":1e2}`,
		`not a message`,
		``,
	} {
		if e, _ := r.Entry(Entry{Text: message}); e.Text != message {
			t.Errorf("%s\nis recorded as\n%s", message, e.Text)
		}
	}
	none, err := NewRedactor(RedactNothing)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range secretValues {
		if e, _ := none.Entry(Entry{Text: test.message}); e.Text != test.message {
			t.Errorf("%s: recorded as %s", name, e.Text)
		}
	}
	for _, pointer := range []string{"note", "", "$.note"} {
		if _, err := NewRedactor(pointer); err == nil {
			t.Errorf("%q is no JSON Pointer", pointer)
		}
	}
}

// TestSecretFlag checks that an argument after a flag that contains a secret stays as it is.
func TestSecretFlag(t *testing.T) {
	r, err := NewRedactor()
	if err != nil {
		t.Fatal(err)
	}
	e, _ := r.Entry(Entry{Text: `["--ghp_abcdefghijklmnopqrstuvwxyz0123456789","a text"]`})
	if !strings.HasPrefix(e.Text, `["--`+RedactedPrefix) || !strings.HasSuffix(e.Text, `,"a text"]`) {
		t.Errorf("recorded as %s", e.Text)
	}
}

// TestSecretHeader expects the value of a header to be redacted as that of the argument that it
// repeats, in whatever form.
func TestSecretHeader(t *testing.T) {
	r, err := NewRedactor()
	if err != nil {
		t.Fatal(err)
	}
	e, _ := r.Entry(Entry{Text: `{"params":{"arguments":{"apiKey":"schlüssel","region":"eu"}}}`, Header: map[string]string{
		"Mcp-Param-A": "=?base64?c2NobMO8c3NlbA==?=", "Mcp-Param-Region": "eu", "Mcp-Param-Token": "abc",
	}})
	var message struct {
		Params struct{ Arguments map[string]string }
	}
	if err := json.Unmarshal([]byte(e.Text), &message); err != nil {
		t.Fatal(err)
	}
	if got, want := e.Header["Mcp-Param-A"], message.Params.Arguments["apiKey"]; got != want || !strings.HasPrefix(got, RedactedPrefix) {
		t.Errorf("the header has %q, the argument %q", got, want)
	}
	if e.Header["Mcp-Param-Region"] != "eu" || !strings.HasPrefix(e.Header["Mcp-Param-Token"], RedactedPrefix) {
		t.Errorf("%v", e.Header)
	}
}
