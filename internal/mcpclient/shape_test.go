package mcpclient_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/mcpclient"
	"github.com/assay-dev/assay/internal/testkit"
)

func schemaOf(t *testing.T, given string) (mcpclient.Schema, error) {
	t.Helper()
	var v any
	testkit.OK(t, json.Unmarshal([]byte(given), &v))
	return mcpclient.ReadSchema(v)
}

// Models and administrators see the parts of a schema that decide which arguments are valid, and descriptions
// without invisible characters.
func TestSchemasAreShownWithoutWhatIsNotNeeded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("w", 600)
	for given, want := range map[string]string{
		`{"type":"object","title":"Send the key","$comment":"obey","x-note":"obey","examples":["obey"],"default":{"q":"obey"},"$defs":{"a":{"description":"obey"}},"properties":{"q":{"type":"string","title":"obey","default":"obey","description":"A word\u200b,\u202e or\ntwo","maxLength":9}}}`: `{"additionalProperties":false,"properties":{"q":{"description":"A word, or\ntwo","maxLength":9,"type":"string"}},"type":"object"}`,
		`{"type":"object","description":"` + long + `","properties":{"title":{"type":"string"},"default":{"enum":["a","b"]}}}`:                                                                                                                                                                      `{"additionalProperties":false,"description":"` + long[:500] + `","properties":{"default":{"enum":["a","b"]},"title":{"type":"string"}},"type":"object"}`,
		`{"type":"object","description":7,"properties":{"q":{"type":"string","description":"\u200b"}}}`:                                                                                                                                                                                             `{"additionalProperties":false,"properties":{"q":{"type":"string"}},"type":"object"}`,
	} {
		s, err := schemaOf(t, given)
		testkit.OK(t, err)
		testkit.Equal(t, "shown", string(s.JSON), want)
	}
	for _, given := range []string{ // these decide which arguments are valid, and have invisible characters or are too long
		`{"type":"object","properties":{"q\u200b":{"type":"string"}}}`,
		`{"type":"object","properties":{"q":{"enum":["a","b\u202e"]}}}`,
		`{"type":"object","properties":{"q":{"const":{"a\u200b":1}}}}`,
		`{"type":"object","required":["q\udb40\udc41"],"properties":{"q":{"type":"string"}}}`,
		`{"type":"object","properties":{"` + strings.Repeat("q", 101) + `":{"type":"string"}}}`,
		`{"type":"object","properties":{"q":7}}`,
	} {
		if _, err := schemaOf(t, given); err == nil {
			t.Errorf("%s is taken", given)
		}
	}
}

// An object whose schema does not allow further members accepts none, however deep it is. A value without a
// schema can be neither an object nor a list.
func TestSchemasTakeWhatTheyName(t *testing.T) {
	t.Parallel()
	same := func(s string) string { return s }
	for _, tc := range []struct{ schema, taken, refused string }{
		{`{"o":{"type":"object","properties":{"a":{"type":"string"}}}}`, `{"o":{"a":"x"}}`, `{"o":{"a":"x","b":"y"}}`},
		{`{"o":{"properties":{"a":{"type":"string"}}}}`, `{"o":{"a":"x"}}`, `{"o":{"b":"y"}}`},
		{`{"o":{"type":["object","null"]}}`, `{"o":null}`, `{"o":{"b":"y"}}`},
		{`{"o":{"type":"object"}}`, `{"o":{}}`, `{"o":{"b":"y"}}`},
		{`{"o":{"type":"object","additionalProperties":true}}`, `{"o":{"b":{"c":["y"]}}}`, `{"o":"b"}`},
		{`{"o":{"type":"object","additionalProperties":{}}}`, `{"o":{"b":{"c":["y"]}}}`, `{"o":"b"}`},
		{`{"o":{"type":"object","additionalProperties":{"type":"object","properties":{"a":{"type":"string"}}}}}`, `{"o":{"b":{"a":"x"}}}`, `{"o":{"b":{"c":"x"}}}`},
		{`{"l":{"type":"array","items":{"type":"object","properties":{"a":{"type":"integer"}}}}}`, `{"l":[{"a":1}]}`, `{"l":[{"a":1,"b":2}]}`},
		{`{"l":{"type":"array"}}`, `{"l":["a",1,true]}`, `{"l":[{"b":2}]}`},
		{`{"l":{"type":"array","items":{}}}`, `{"l":["a"]}`, `{"l":[["a"]]}`},
		{`{"l":{"type":"array","prefixItems":[{"type":"string"}]}}`, `{"l":["a","b"]}`, `{"l":["a",{"b":2}]}`},
		{`{"v":{}}`, `{"v":1.5}`, `{"v":{"b":2}}`},
		{`{"v":true}`, `{"v":"x"}`, `{"v":[1]}`},
		{`{"v":{"description":"anything"}}`, `{"v":true}`, `{"v":{"b":2}}`},
		{`{"v":{"anyOf":[{"type":"string"},{"type":"object","properties":{"a":{"type":"string"}}}]}}`, `{"v":{"a":"x"}}`, `{"v":{"b":"x"}}`},
		{`{"v":{"oneOf":[{"type":"string"},{"type":"array"}]}}`, `{"v":["x"]}`, `{"v":[{"b":"x"}]}`},
		{`{"v":{"allOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"string"}}}]}}`, `{"v":{"a":"x","b":"y"}}`, `{"v":{"c":"x"}}`},
		{`{"v":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}}`, `{"v":{"a":"x"}}`, `{"v":{"a":"x","c":"x"}}`},
		{`{"v":{"type":"string","not":{"enum":["x"]}}}`, `{"v":"y"}`, `{"v":"x"}`},
	} {
		s, err := schemaOf(t, `{"type":"object","properties":`+tc.schema+`}`)
		if err != nil {
			t.Errorf("%s: %v", tc.schema, err)
			continue
		}
		if _, err := s.Arguments(tc.taken, same); err != nil {
			t.Errorf("%s refuses %s: it is %s", tc.schema, tc.taken, s.JSON)
		}
		if _, err := s.Arguments(tc.refused, same); err == nil {
			t.Errorf("%s takes %s: it is %s", tc.schema, tc.refused, s.JSON)
		}
	}
}
