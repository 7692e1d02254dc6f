package gitlab

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)
	header := func(pairs ...string) http.Header {
		h := http.Header{"Content-Type": {"application/json"}}
		for i := 0; i < len(pairs); i += 2 {
			h.Set(pairs[i], pairs[i+1])
		}
		return h
	}
	for name, tc := range map[string]struct {
		status  int
		header  http.Header
		body    string
		effect  bool
		class   codehost.Class
		block   time.Duration
		grow    bool
		message string
	}{
		"success":                            {201, header(), `{}`, true, "", 0, false, ""},
		"a page in place of a success":       {200, header("Content-Type", "text/html"), `<p>`, false, codehost.ClassUnavailable, 0, false, "browsers"},
		"a page in place of a write":         {200, header("Content-Type", "text/html"), `<p>`, true, codehost.ClassAmbiguous, 0, false, "browsers"},
		"not found":                          {404, header(), `{"message":"404 Project Not Found"}`, false, codehost.ClassNotFound, 0, false, "Project"},
		"not found by a proxy":               {404, header("Content-Type", "text/html"), `<p>`, false, codehost.ClassUnavailable, 0, false, ""},
		"moved":                              {301, header(), ``, false, codehost.ClassMoved, 0, false, ""},
		"moved, of a write":                  {405, header(), `{"message":"Non GET methods are not allowed for moved projects"}`, true, codehost.ClassMoved, 0, false, "moved projects"},
		"an unsupported method":              {405, header(), `{"error":"405 Not Allowed"}`, true, codehost.ClassInvalid, 0, false, "405"},
		"a method refused by a proxy":        {405, header("Content-Type", "text/html"), `<p>not allowed for moved projects`, true, codehost.ClassInvalid, 0, false, ""},
		"sign-in of a proxy":                 {302, header(), ``, false, codehost.ClassUnavailable, 0, false, ""},
		"unauthorised":                       {401, header(), `{"error":"invalid_token","error_description":"Token is expired."}`, false, codehost.ClassForbidden, 0, false, "Token is expired."},
		"no writes for a while":              {403, header(), `{"message":"You cannot perform write operations on a read-only instance"}`, true, codehost.ClassUnavailable, 0, false, "read-only"},
		"too few scopes":                     {403, header(), `{"error":"insufficient_scope","error_description":"more","scope":"api"}`, true, codehost.ClassForbidden, 0, false, "insufficient_scope; more"},
		"invalid by field":                   {400, header(), `{"message":{"title":["can't be blank"],"base":["no"]}}`, true, codehost.ClassInvalid, 0, false, "base: no; title: can't be blank"},
		"invalid":                            {400, header(), `{"error":"branch is missing"}`, true, codehost.ClassInvalid, 0, false, "branch is missing"},
		"too long":                           {400, header(), `{"message":"400 Bad request - Note {:note=>[\"is too long\"]}"}`, true, codehost.ClassTooLarge, 0, false, "too long"},
		"there already":                      {409, header(), `{"message":["Another open merge request already exists"]}`, true, codehost.ClassExists, 0, false, "Another"},
		"another status meanwhile":           {409, header(), `{"message":"Another update to this commit status is in progress"}`, true, codehost.ClassUnavailable, 0, false, "in progress"},
		"a limit with a time":                {429, header("Retry-After", "45"), "Retry later\n", true, codehost.ClassLimited, 45 * time.Second, false, "Retry later"},
		"a limit with a reset":               {429, header("RateLimit-Remaining", "0", "RateLimit-Reset", strconv.FormatInt(now.Unix()+30, 10)), "", true, codehost.ClassLimited, 30 * time.Second, false, ""},
		"an invalid reset":                   {429, header("RateLimit-Remaining", "0", "RateLimit-Reset", "soon"), "", true, codehost.ClassLimited, time.Minute, true, ""},
		"a reset of something else":          {429, header("RateLimit-Remaining", "9", "RateLimit-Reset", strconv.FormatInt(now.Unix()+30, 10)), "", true, codehost.ClassLimited, time.Minute, true, ""},
		"a limit without headers":            {429, header(), "", false, codehost.ClassLimited, time.Minute, true, ""},
		"down, with Retry-After":             {503, header("Retry-After", "7"), "", false, codehost.ClassLimited, 7 * time.Second, false, ""},
		"down, with Retry-After, of a write": {503, header("Retry-After", "7"), "", true, codehost.ClassAmbiguous, 7 * time.Second, false, ""},
		"down":                               {502, header(), "", false, codehost.ClassUnavailable, 0, false, ""},
		"down, of a write":                   {500, header(), "", true, codehost.ClassAmbiguous, 0, false, ""},
	} {
		v := rules.Judge(wire.Answer{Resp: &http.Response{StatusCode: tc.status, Header: tc.header}, Body: []byte(tc.body), Effect: tc.effect, Sent: true, Now: now})
		if v.Err == nil {
			v.Err = &codehost.Error{}
		}
		if v.Err.Class != tc.class || v.Block != tc.block || v.Grow != tc.grow || !strings.Contains(v.Err.Message, tc.message) {
			t.Errorf("%s: class %q, block %v, grow %v, %q", name, v.Err.Class, v.Block, v.Grow, v.Err.Message)
		}
	}
	if v := rules.Judge(wire.Answer{Err: errors.New("reset"), Sent: true, Effect: true}); v.Err.Class != codehost.ClassAmbiguous {
		t.Errorf("broken off: %+v", v.Err)
	}
}

// The host's message in an error is bounded and contains no credentials.
func TestWordsOfAnError(t *testing.T) {
	t.Parallel()
	token := "glp" + "at-" + strings.Repeat("a1B2", 5)
	deep := strings.Repeat(`{"a":`, 50) + `"x"` + strings.Repeat(`}`, 50)
	for _, body := range []string{`{"message":"` + token + strings.Repeat("é", 5000) + `"}`, `{"message":` + deep + `}`, `{"message":[` + strings.Repeat(`"x",`, 5000) + `"y"]}`, "plain " + token, `{"message":5}`} {
		got := messageOf(wire.Answer{Resp: &http.Response{StatusCode: 400, Header: http.Header{}}, Body: []byte(body)})
		if strings.Contains(got, token) || len([]rune(got)) > wire.MaxMessage || strings.ContainsAny(got, "\n\x00") {
			t.Errorf("%q", got)
		}
	}
}

func TestIDsOfComments(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]noteID{"7.12": {7, 12, ""}, "7.12.6a9c": {7, 12, "6a9c"}} {
		got, err := parseNote("", domain.HostID(id))
		if err != nil || got != want || string(got.id()) != id {
			t.Errorf("%s: %+v, %v", id, got, err)
		}
	}
	for _, id := range []string{"", "7", "7.", ".12", "7.12.", "7.12.a/b", "7.12.a.b", "07.12", "7.0", "-7.12", "7.12." + strings.Repeat("a", 81), "99999999999.1"} {
		if got, err := parseNote("", domain.HostID(id)); err == nil {
			t.Errorf("%q: %+v", id, got)
		}
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	for _, owner := range []string{"octo", "octo/team", "a_b/c.d/e-f"} {
		if !validGroup(owner) {
			t.Errorf("%q is refused", owner)
		}
	}
	for _, owner := range []string{"/octo", "octo/", "a//b", "..", "a/../b", ".hidden", "-x", "a b", strings.Repeat("a/", maxParts) + "a", strings.Repeat("x", 300)} {
		if validGroup(owner) {
			t.Errorf("%q is taken", owner)
		}
	}
	if err := checkRepo("", codehost.Repo{Owner: "octo/team", Name: "a/b"}); codehost.ClassOf(err) != codehost.ClassInvalid {
		t.Errorf("a name with a slash: %v", err)
	}
}
