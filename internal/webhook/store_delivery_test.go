package webhook

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
)

// Storing a large body has more time than a query, and the answer still comes within the 10 seconds
// that GitHub waits.
func TestALargeBodyHasMoreTime(t *testing.T) {
	k := deliveryStore{budget: 800 * time.Millisecond}
	testkit.Equal(t, "an empty body", k.timeFor(0), k.budget)
	testkit.Equal(t, "10 MiB", k.timeFor(10<<20), 2800*time.Millisecond)
	testkit.Equal(t, "the largest", k.timeFor(25<<20), 5800*time.Millisecond)
}

func TestMembers(t *testing.T) {
	for _, c := range []struct{ name, object, want string }{
		{"first", `{"action":"opened","x":1}`, `"opened"`},
		{"last, after what looks like it", `{"a":{"action":"inner","b":["}",{"action":2}]},"s":"\"action\":\"no\"","action" : "opened" }`, `"opened"`},
		{"twice", `{"action":"first","action":"second"}`, `"second"`},
		{"an object", `{"action":{"b":[1,2,{"c":","}]},"d":1}`, `{"b":[1,2,{"c":","}]}`},
		{"spread over lines", "\n{\n\"action\"\n:\n1\n,\n\"b\": 2\n}\n", "1"},
		{"its value is another's name", `{"b":"action","c":"opened"}`, ""},
		{"empty", `{}`, ""},
	} {
		got, is := members([]byte(c.object), "action")
		testkit.Equal(t, c.name+" is an object", is, true)
		testkit.Equal(t, c.name, string(got["action"]), c.want)
	}
	for _, other := range []string{`null`, `[{"action":"opened"}]`, `"action"`, `1`} {
		_, is := members([]byte(other), "action")
		testkit.Equal(t, other+" is an object", is, false)
	}
}

func FuzzMembers(f *testing.F) {
	f.Add(`{"action":"opened","changes":{"body":{"from":"a\\\"}"}},"installation":{"id":1}}`)
	f.Add(`{"a":[{"action":"x"}],"action":{"changes":[]},"changes":null}`)
	f.Fuzz(func(t *testing.T, text string) {
		body := []byte(text)
		var want map[string]json.RawMessage
		if !json.Valid(body) || json.Unmarshal(body, &want) != nil || want == nil || strings.Contains(text, `\u`) { // an escaped name is a different one
			return
		}
		got, _ := members(body, "action", "changes")
		for _, name := range []string{"action", "changes"} {
			if !bytes.Equal(got[name], want[name]) {
				t.Fatalf("%q: %s is %q, want %q", text, name, got[name], want[name])
			}
		}
	})
}
