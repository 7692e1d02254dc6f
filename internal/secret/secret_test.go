package secret

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// canary is assembled so that it is not a literal in the repository.
var canary = "canary" + "-" + "7f3a91"

type holder struct {
	Public  Secret
	private Secret
	Nested  struct{ Key *Secret }
	List    []Secret
	Map     map[string]Secret
}

func TestSecretIsNeverPrinted(t *testing.T) {
	t.Parallel()
	s := New(canary)
	h := holder{Public: s, private: s, List: []Secret{s}, Map: map[string]Secret{"k": s}}
	h.Nested.Key = &s
	var out bytes.Buffer
	for _, v := range []any{s, &s, h, &h, h.List, h.Map, struct{ s Secret }{s}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%p", "%T"} {
			fmt.Fprintf(&out, verb, v) //nolint:govet // the verbs are the test
		}
		_ = json.NewEncoder(&out).Encode(v)
		for _, l := range []*slog.Logger{slog.New(slog.NewTextHandler(&out, nil)), slog.New(slog.NewJSONHandler(&out, nil))} {
			l.Info("m", "v", v, slog.Group("g", "v", v))
		}
	}
	fmt.Fprint(&out, fmt.Errorf("failed with %v and %w", s, errors.New("inner")))
	text, _ := s.MarshalText()
	out.Write(text)
	hexed := fmt.Sprintf("%x", canary)
	if got := out.String(); strings.Contains(got, canary) || strings.Contains(strings.ToLower(got), hexed) {
		t.Fatalf("the value was printed:\n%s", got)
	}
	if !strings.Contains(out.String(), Redacted) {
		t.Fatal("nothing was redacted: the test looks at nothing")
	}
	if s.Reveal() != canary {
		t.Fatal("Reveal must return the value")
	}
}

func TestSecretEqual(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		a, b Secret
		want bool
	}{
		"same":           {New("a"), New("a"), true},
		"other":          {New("a"), New("b"), false},
		"prefix":         {New("a"), New("aa"), false},
		"one unset":      {New(""), New("a"), false},
		"both unset":     {Secret{}, New(""), false},
		"unset with set": {New("a"), Secret{}, false},
	} {
		if got := c.a.Equal(c.b); got != c.want {
			t.Errorf("%s: Equal = %v", name, got)
		}
	}
}

func TestSecretDecoding(t *testing.T) {
	t.Parallel()
	var v struct{ A, B Secret }
	if err := json.Unmarshal([]byte(`{"A":"x","B":null}`), &v); err != nil || v.A.Reveal() != "x" || v.B.IsSet() {
		t.Fatalf("err %v, A set %v, B set %v", err, v.A.IsSet(), v.B.IsSet())
	}
	err := json.Unmarshal([]byte(`{"A":123456789}`), &v)
	if err == nil || strings.Contains(err.Error(), "123456789") {
		t.Fatalf("want an error without the value, got %v", err)
	}
	if New("").String() != "" || New("").IsSet() {
		t.Fatal("an unset secret prints as nothing")
	}
}

func TestScrub(t *testing.T) {
	t.Parallel()
	tail := strings.Repeat("Ab3", 12)
	cases := map[string]struct{ in, want string }{
		"userinfo and query": {"Get \"https://user:pw@h.example/p?token=x#f\": refused", "Get \"https://redacted@h.example/p?redacted\": refused"},
		"dsn":                {"dial postgres://u:p@db:5432/assay?sslmode=off", "dial postgres://redacted@db:5432/assay?redacted"},
		"unparsable":         {"x://u:p@h:port/%zz?q=1 y", "x://redacted@h:port/%zz?redacted y"},
		"clean URL":          {"see https://h.example/a/b.", "see https://h.example/a/b."},
		"installation token": {"token gh" + "s_" + tail + " end", "[redacted] end"},
		"long new form":      {"gh" + "s_" + tail + "." + tail + "." + tail, "[redacted]"},
		"model key":          {"key s" + "k-ant-" + tail, "key [redacted]"},
		"ours":               {"at assay_" + "sess_" + tail, "at [redacted]"},
		"authorization":      {"Authorization: Bearer " + tail, "Authorization: [redacted]"},
		"json web token":     {"j ey" + "J" + tail + "." + tail + "." + tail, "j [redacted]"},
		"private key":        {"a -----BEGIN RSA PRIVATE" + " KEY-----\nabc", "a [redacted]"},
		"keywords":           {"connect host=db password=a:b dbname=n", "connect host=db password=[redacted] dbname=n"},
		"quoted keywords":    {"host=db password = 'a b\\'c' dbname=n", "host=db password = [redacted] dbname=n"},
		"misspelled address": {"open postgres//u:p@db/n and postgres:/u:p@db", "open postgres//u:[redacted]@db/n and postgres:/u:[redacted]@db"},
		"an image":           {"pull registry/name:tag@sha256:ab", "pull registry/name:tag@sha256:ab"},
		"plain words":        {"a skill, a token of thanks, bearer of news", "a skill, a token of thanks, bearer of news"},
	}
	for name, c := range cases {
		if got := Scrub(c.in); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
}

func FuzzScrub(f *testing.F) {
	f.Add("https://h/", "u", "p", "q")
	f.Fuzz(func(t *testing.T, before, user, pass, query string) {
		for _, bad := range []string{user, pass, query} {
			if len(bad) < 8 || strings.ContainsAny(bad, " \t\r\n\"'<>`\\/?#@%") || strings.Contains(before+"redactedh.example", bad) || !ascii(bad) {
				t.Skip()
			}
		}
		got := Scrub(before + " https://" + user + ":" + pass + "@h.example/p?" + query)
		if strings.Contains(got, pass) && !strings.Contains(before, pass) || strings.Contains(got, query) && !strings.Contains(before, query) {
			t.Fatalf("left in: %q", got)
		}
	})
}

func ascii(s string) bool {
	for _, r := range s {
		if r <= ' ' || r > '~' {
			return false
		}
	}
	return true
}
