package bitbucketcloud

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	header := func(pairs ...string) http.Header {
		h := http.Header{"Content-Type": {"application/json"}}
		for i := 0; i < len(pairs); i += 2 {
			h.Set(pairs[i], pairs[i+1])
		}
		return h
	}
	fault := func(inner string) string { return `{"type":"error","error":{` + inner + `}}` }
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
		"success":                    {201, header(), `{}`, true, "", 0, false, ""},
		"a file of HTML":             {200, header("Content-Type", "text/html", "Content-Disposition", `attachment; filename="x"`), `<p>`, false, "", 0, false, ""},
		"a page in place of a read":  {200, header("Content-Type", "text/html"), `<p>`, false, codehost.ClassUnavailable, 0, false, "browsers"},
		"a page in place of a write": {200, header("Content-Type", "text/html"), `<p>`, true, codehost.ClassAmbiguous, 0, false, "browsers"},
		"not found":                  {404, header(), fault(`"message":"Repository octo/demo not found"`), false, codehost.ClassNotFound, 0, false, "Repository"},
		"not found by a proxy":       {404, header("Content-Type", "text/html"), `<p>`, false, codehost.ClassUnavailable, 0, false, ""},
		"moved":                      {301, header(), ``, false, codehost.ClassMoved, 0, false, ""},
		"gone":                       {410, header(), fault(`"message":"spam"`), false, codehost.ClassNotFound, 0, false, "spam"},
		"a dead token":               {401, header(), fault(`"message":"Token is invalid, expired, or not supported for this endpoint."`), false, codehost.ClassForbidden, 0, false, "Token is invalid"},
		"too few scopes":             {403, header(), fault(`"message":"Your credentials lack one or more required privilege scopes.","detail":{"granted":["account"],"required":["webhook"]}`), true, codehost.ClassForbidden, 0, false, "privilege scopes"},
		"invalid by field":           {400, header(), fault(`"message":"Bad request","fields":{"url":["Enter a valid URL."],"content":["This field is required.","x"]}`), true, codehost.ClassInvalid, 0, false, "Bad request; content: This field is required., x; url: Enter a valid URL."},
		"a detail":                   {400, header(), fault(`"message":"Bad request","detail":"Because."`), true, codehost.ClassInvalid, 0, false, "Bad request; Because."},
		"too long":                   {400, header(), fault(`"message":"content: Ensure this value has at most 32768 characters (it has 40000).","fields":{"content":["x"]}`), true, codehost.ClassTooLarge, 0, false, "at most"},
		"a parent that moved":        {409, header(), fault(`"message":"parent"`), true, codehost.ClassStale, 0, false, "parent"},
		"a diff that takes too long": {555, header(), fault(`"message":"timed out"`), false, codehost.ClassTooLarge, 0, false, "timed out"},
		"a write that is timed out":  {555, header(), ``, true, codehost.ClassAmbiguous, 0, false, ""},
		"a limit":                    {429, header(), fault(`"message":"Rate limit for this resource has been exceeded"`), true, codehost.ClassLimited, time.Minute, true, "Rate limit"},
		"a limit with a time":        {429, header("Retry-After", "45"), "", true, codehost.ClassLimited, 45 * time.Second, false, ""},
		"down":                       {503, header(), "", false, codehost.ClassUnavailable, 0, false, ""},
		"down, of a write":           {502, header(), "", true, codehost.ClassAmbiguous, 0, false, ""},
		"down, with a time":          {503, header("Retry-After", "7"), "", false, codehost.ClassLimited, 7 * time.Second, false, ""},
		"too large":                  {413, header(), "", true, codehost.ClassTooLarge, 0, false, ""},
		"a long text":                {400, header(), fault(`"message":"` + strings.Repeat("é", 4000) + `"`), true, codehost.ClassInvalid, 0, false, "éé"},
		"another form":               {400, header(), `["odd",{}]`, true, codehost.ClassInvalid, 0, false, "odd"},
		"hostile fields":             {400, header(), fault(`"message":"Bad","fields":{"a":[],"b":null}`), true, codehost.ClassInvalid, 0, false, "Bad"},
	} {
		v := rules.Judge(wire.Answer{Resp: &http.Response{StatusCode: tc.status, Header: tc.header}, Body: []byte(tc.body), Sent: true, Effect: tc.effect, Now: time.Now()})
		class, message := codehost.Class(""), ""
		if v.Err != nil {
			class, message = v.Err.Class, v.Err.Message
		}
		if class != tc.class || v.Block != tc.block || v.Grow != tc.grow || !strings.Contains(message, tc.message) || len([]rune(message)) > wire.MaxMessage {
			t.Errorf("%s: class %q, block %v, grow %v, message %.100q", name, class, v.Block, v.Grow, message)
		}
	}
}
