package gql

import (
	"encoding/json"
	"errors"
	"testing"
)

func root() Object {
	inner := Object{Type: "Thing", Fields: map[string]Resolver{"id": Value("x"), "n": Value(3),
		"echo": func(a map[string]any) (any, error) { return a["text"], nil },
		"fail": func(map[string]any) (any, error) { return nil, &Error{Type: "NOT_FOUND", Message: "gone"} },
		"odd":  func(map[string]any) (any, error) { return nil, errors.New("odd") }}}
	return Object{Type: "Query", Fields: map[string]Resolver{"thing": Value(inner), "list": Value([]Object{inner, inner})}}
}

func TestExec(t *testing.T) {
	tests := []struct{ name, query, vars, want, failure string }{
		{"fields", `{ thing { id n } }`, "", `{"thing":{"id":"x","n":3}}`, ""},
		{"alias and variable", `query Q($t: String!) { a: thing { echo(text: $t) __typename } }`, `{"t":"hi"}`, `{"a":{"__typename":"Thing","echo":"hi"}}`, ""},
		{"default", `query ($t: String = "d") { thing { echo(text: $t) } }`, "", `{"thing":{"echo":"d"}}`, ""},
		{"list", `{ list { id } }`, "", `{"list":[{"id":"x"},{"id":"x"}]}`, ""},
		{"inline fragment", `{ thing { ... on Thing { id } ... on Other { nope } } }`, "", `{"thing":{"id":"x"}}`, ""},
		{"fragment", "query { thing { ...F } } # end\nfragment F on Thing { id, n }", "", `{"thing":{"id":"x","n":3}}`, ""},
		{"values", `{ thing { echo(text: {a: [1, -2.5, true, null, ENUM, "q\"\u00e4"]}) } }`, "", `{"thing":{"echo":{"a":[1,-2.5,true,null,"ENUM","q\"ä"]}}}`, ""},
		{"block string", `{ thing { echo(text: """ "long" """) } }`, "", `{"thing":{"echo":"\"long\""}}`, ""},
		{"unknown field", `{ thing { nope } }`, "", `{"thing":{"nope":null}}`, "Field 'nope' doesn't exist on type 'Thing'"},
		{"no selection", `{ thing }`, "", `{"thing":null}`, "Field must have selections (field 'thing' returns Thing but has no selections)"},
		{"selection on a scalar", `{ thing { n { x } } }`, "", `{"thing":{"n":null}}`, "Selections can't be made on scalars (field 'n')"},
		{"missing variable", `query ($t: ID!) { thing { echo(text: $t) } }`, "", `null`, "Variable $t of type was provided invalid value"},
		{"unknown fragment", `{ thing { ...G } }`, "", `{"thing":{}}`, "Fragment G was used, but not defined"},
		{"resolver fails", `{ thing { fail } }`, "", `{"thing":{"fail":null}}`, "gone"},
		{"resolver fails oddly", `{ thing { odd } }`, "", `{"thing":{"odd":null}}`, "odd"},
		{"endless fragment", "{ thing { ...F } } fragment F on Thing { ...F }", "", `{"thing":{}}`, "the document is nested too deeply"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := Parse(tt.query)
			if err != nil {
				t.Fatal(err)
			}
			var vars map[string]any
			if tt.vars != "" {
				if err := json.Unmarshal([]byte(tt.vars), &vars); err != nil {
					t.Fatal(err)
				}
			}
			data, errs := Exec(doc, doc.Select(""), vars, root())
			got, _ := json.Marshal(data)
			if string(got) != tt.want {
				t.Errorf("data %s, want %s", got, tt.want)
			}
			if (len(errs) > 0) != (tt.failure != "") || (len(errs) > 0 && errs[0].Error() != tt.failure) {
				t.Errorf("errors %v, want %q", errs, tt.failure)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, query := range []string{"", "{", "{}", "{ a(", "{ a(b: ) }", `{ a(b: "x }`, "query ($a) { b }", "query ($", "fragment F { a }", "subscription { a }", "{ a: }", "{ ... on }",
		"{ a @include(if: true) }", "\xff", "{ a(b: \"x\ny\") }"} {
		if _, err := Parse(query); err == nil {
			t.Errorf("%q: no error", query)
		}
	}
	doc, err := Parse("query A { a } query B { b }")
	if err != nil || doc.Select("") != nil || doc.Select("B") == nil || doc.Select("C") != nil {
		t.Errorf("operations are not chosen by name: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`query Q($t: String! = "a") { a: thing(x: {y: [1, $t]}) { ...F ... on T { b } } } fragment F on T { c }`)
	f.Add(`mutation { a(input: {id: """x"""}) { b } }`)
	f.Fuzz(func(_ *testing.T, query string) {
		if doc, err := Parse(query); err == nil {
			for i := range doc.Operations {
				Exec(doc, &doc.Operations[i], nil, root())
			}
		}
	})
}
