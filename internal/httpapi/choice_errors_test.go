package httpapi_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

type leaf struct {
	Size int      `json:"size" enum:"1,2"`
	Tags []string `json:"tags,omitempty" maxItems:"2" minLength:"1"`
}

type branch struct {
	Leaf   patch.Nullable[leaf]   `json:"leaf,omitzero"`
	Leaves []patch.Nullable[leaf] `json:"leaves,omitempty"`
	Who    allOrSome              `json:"who,omitzero"`
}

type tree struct {
	Branch patch.Nullable[branch] `json:"branch,omitzero"`
	Other  patch.Nullable[leaf]   `json:"other,omitzero"`
}

type allOrSome struct{}

func (allOrSome) Schema(huma.Registry) *huma.Schema {
	two := 2
	list := &huma.Schema{Type: "array", Items: &huma.Schema{Type: "string"}, MaxItems: &two}
	list.PrecomputeMessages()
	word := &huma.Schema{Type: "string", Enum: []any{"all"}}
	word.PrecomputeMessages()
	return &huma.Schema{OneOf: []*huma.Schema{word, list}}
}

// An error inside an object that may be null names its place and the expected value.
func TestWrongFieldsOfNullableObjects(t *testing.T) {
	t.Parallel()
	check := httpapi.Checker[tree]()
	for name, tc := range map[string]struct {
		body string
		want []string // pointer and message, sorted
	}{
		"null at every level":          {`{"branch":{"leaf":null,"leaves":[null]},"other":null}`, nil},
		"good at every level":          {`{"branch":{"leaf":{"size":1},"leaves":[{"size":2,"tags":["a"]}],"who":"all"},"other":{"size":1}}`, nil},
		"no object":                    {`{"branch":7}`, []string{"/branch must be an object or null"}},
		"a list for an object":         {`{"branch":{"leaf":[]}}`, []string{"/branch/leaf must be an object or null"}},
		"two levels down":              {`{"branch":{"leaf":{"size":3}}}`, []string{`/branch/leaf/size must be one of 1, 2`}},
		"several at once":              {`{"branch":{"leaf":{"size":"x"}},"other":{"size":9}}`, []string{"/branch/leaf/size must be a whole number", `/other/size must be one of 1, 2`}},
		"missing":                      {`{"branch":{"leaf":{}}}`, []string{"/branch/leaf/size is required"}},
		"unknown":                      {`{"branch":{"leaf":{"size":1,"seize":2}}}`, []string{"/branch/leaf/seize is not known here (letter case counts)"}},
		"in a list":                    {`{"branch":{"leaves":[null,{"size":1},{"size":5}]}}`, []string{`/branch/leaves/2/size must be one of 1, 2`}},
		"a list inside":                {`{"branch":{"leaves":[{"size":1,"tags":["a","b","c"]}]}}`, []string{"/branch/leaves/0/tags must have at most 2 entries"}},
		"an element of a list inside":  {`{"branch":{"leaves":[{"size":1,"tags":["a",4]}]}}`, []string{"/branch/leaves/0/tags/1 must be text"}},
		"a word or a list, wrong word": {`{"branch":{"who":"none"}}`, []string{`/branch/who must be one of all`}},
		"a word or a list, long":       {`{"branch":{"who":["a","b","c"]}}`, []string{"/branch/who must have at most 2 entries"}},
		"a word or a list, element":    {`{"branch":{"who":["a",7]}}`, []string{"/branch/who/1 must be text"}},
		"a word or a list, neither":    {`{"branch":{"who":true}}`, []string{"/branch/who must be text or a list"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var v any
			testkit.OK(t, json.Unmarshal([]byte(tc.body), &v))
			var got []string
			for _, f := range check(v) {
				got = append(got, f.Pointer+" "+f.Message)
			}
			slices.Sort(got)
			if !slices.Equal(got, tc.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tc.want, "\n"))
			}
		})
	}
}

// The answer names an unknown property by its place, or the place above if the name could be read as a path.
func TestUnknownNamesOfNullableObjects(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	for name, tc := range map[string]struct {
		body string
		want []string
	}{
		"typo":              {`{"tiers":{"embeddings":{"credentialId":"c","model":"m","vectorsize":1024}}}`, []string{"/tiers/embeddings/vectorSize", "/tiers/embeddings/vectorsize"}},
		"dot in a name":     {`{"tiers":{"fast":{"cAnArY.x":1}},"budget":{"monthlyMicros":-1,"currency":"USD","mode":"firm"}}`, []string{"/tiers/fast"}},
		"bracket in a name": {`{"limits[0":1}`, []string{""}},
	} {
		got := wrongFields(t, w.call(admin, http.MethodPut, w.repo()+"/llm-policy", tc.body))
		slices.Sort(got)
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}
