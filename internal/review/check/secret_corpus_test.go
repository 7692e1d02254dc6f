package check

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
)

// fateOf returns how a review reports the one secret of a result: on its line, in the summary with its severity, or not at all.
func fateOf(found []domain.Finding) string {
	var out []string
	for _, f := range found {
		switch {
		case f.Origin != domain.OriginSecret && f.RuleID != dockerSecretRule:
		case f.Doubtful:
			out = append(out, "doubtful "+f.Severity.String())
		default:
			out = append(out, "certain "+f.Severity.String())
		}
	}
	return strings.Join(out, ", ")
}

// The grade of a value depends on its form, the name beside it, and the file.
func TestCorpusOfSecrets(t *testing.T) {
	t.Parallel()
	generated := random(300, 32)
	for name, tt := range map[string]struct{ path, line, want string }{
		// Exact rules hold everywhere.
		"key of AWS in code":           {"app.go", "key := \"" + awsKey() + "\"", "certain critical"},
		"key of AWS in a test":         {"app_test.go", "key := \"" + awsKey() + "\"", "certain critical"},
		"key of AWS in documents":      {"docs/setup.md", "Use " + awsKey() + " here.", "certain critical"},
		"documented key of AWS":        {"app.go", "key := \"AKIA" + "IOSFODNN7EXAMPLE\"", ""},
		"documented secret key of AWS": {"app.py", "aws_secret_access_key = \"wJalrXUtnFEMI/K7MDENG" + "/bPxRfiCYEXAMPLEKEY\"", ""},

		// The generic rule is certain above the entropy and outside of samples.
		"generated, in code":        {"app.py", "api_key = \"" + generated + "\"", "certain high"},
		"generated, in a test":      {"tests/app.py", "api_key = \"" + generated + "\"", "doubtful high"},
		"generated, in a fixture":   {"testdata/app.py", "api_key = \"" + generated + "\"", "doubtful high"},
		"generated, in an example":  {"examples/app.py", "api_key = \"" + generated + "\"", "doubtful high"},
		"generated, in documents":   {"docs/app.md", "api_key = \"" + generated + "\"", "doubtful high"},
		"generated, example config": {"app.example.py", "api_key = \"" + generated + "\"", "doubtful high"},
		"little entropy":            {"app.py", "api_key = \"q7w7x2v2m4m9zkpb\"", "doubtful high"},

		// A position in a list is often readable text in base64.
		"a page in base64":           {"client.py", `{"nextToken": "` + encoded(`{"page":2}`) + `"}`, "doubtful high"},
		"a cursor in base64":         {"client.py", `next_token = "` + encoded("arrayconnection:2024-05-01") + `"`, "doubtful high"},
		"a secret in base64":         {"client.py", `{"nextToken": "` + encoded(`{"secret":"`+generated+`"}`) + `"}`, "certain high"},
		"a password in base64":       {"client.py", `{"apiToken": "` + encoded(`{"password":"kvartal-Wq7xK29p"}`) + `"}`, "certain high"},
		"a random text in base64":    {"client.py", `api_token = "` + encoded(generated) + `"`, "certain high"},
		"random characters as token": {"client.py", `{"nextToken": "` + generated + `"}`, "certain high"},

		// Placeholders are not secrets, also with digits in place of letters.
		"changeme":                {"app.py", "api_key = \"changeme-changeme\"", ""},
		"your key":                {"app.py", "api_key = \"your-api-key-goes-here\"", ""},
		"example with a sequence": {"app.env", "PASSWORD=p@ssw0rd1234", ""},
		"example with a year":     {"app.env", "PASSWORD=S3cr3t2024", ""},
		"leet without a number":   {"Dockerfile", "FROM a:1\nENV API_TOKEN=s3cr3tv4lu3", ""},
		"template":                {"app.env", "API_TOKEN=${API_TOKEN:-}", ""},
		"crossed out":             {"app.env", "API_TOKEN=xxxxxxxxxxxxxxxxxxxxxxxx", ""},

		// An unusual number turns words of examples into a secret.
		"leet with a number, in ENV":    {"Dockerfile", "FROM a:1\nENV API_TOKEN=s3cr3tvalue9921", "certain high"},
		"leet with a number, in a file": {"app.env", "DB_PASSWORD=P4ssw0rd-9921", "certain high"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := fateOf(run(t, tt.path, "", tt.line+"\n").Findings); got != tt.want {
				t.Errorf("%s: got %q, want %q", tt.path, got, tt.want)
			}
		})
	}
}

// A doubtful value that the base has is called old, too.
func TestOldDoubtfulValueIsNamedOld(t *testing.T) {
	t.Parallel()
	line := "api_key = \"" + random(300, 32) + "\"\n"
	for before, want := range map[string]bool{"a\n": false, line + "a\n": true} {
		found := run(t, "tests/app.py", before, before+"other_"+line).Findings
		if len(found) != 1 || !found[0].Doubtful || strings.Contains(found[0].Explanation, "the base has the same value") != want {
			t.Errorf("%q: %+v", before, found)
		}
	}
}

// encoded returns a text in base64.
func encoded(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
