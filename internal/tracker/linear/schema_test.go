package linear

import (
	"regexp"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/gql"
)

// published is the part of the schema against which queries are checked: arguments and types of fields
// by type, and the types of the fields of inputs.
type published map[string]map[string]field

type field struct {
	typ  string
	args map[string]string
}

var (
	descriptions = regexp.MustCompile(`(?s)""".*?"""`)
	definitions  = regexp.MustCompile(`(?ms)^(type|input|interface) (\w+)[^{\n]*\{\n(.*?)^\}`)
	fieldForm    = regexp.MustCompile(`(?s)(\w+)(\([^)]*\))?:\s*([\w!\[\]]+)`)
	variables    = regexp.MustCompile(`\$(\w+): ([\w!\[\]]+)`)
)

func readSchema(t *testing.T) published {
	t.Helper()
	text := descriptions.ReplaceAllString(string(testkit.Contract(t, "linear/schema.graphql")), "")
	out := published{}
	for _, d := range definitions.FindAllStringSubmatch(text, -1) {
		fields := map[string]field{}
		for _, f := range fieldForm.FindAllStringSubmatch(d[3], -1) {
			args := map[string]string{}
			for _, a := range fieldForm.FindAllStringSubmatch(f[2], -1) {
				args[a[1]] = a[3]
			}
			fields[f[1]] = field{f[3], args}
		}
		out[d[2]] = fields
	}
	return out
}

func bareType(s string) string { return strings.Trim(s, "[]!") }

type checked struct {
	*testing.T
	schema published
	doc    *gql.Document
	vars   map[string]string
}

func (c checked) selections(on string, list []gql.Selection) {
	for _, s := range list {
		if s.Spread != "" {
			if f := c.doc.Fragments[s.Spread]; f.On != on {
				c.Errorf("fragment %s is on %s, used on %s", s.Spread, f.On, on)
			} else {
				c.selections(on, f.Fields)
			}
			continue
		}
		f, known := c.schema[on][s.Name]
		if !known {
			c.Errorf("%s has no field %s", on, s.Name)
			continue
		}
		c.arguments(on+"."+s.Name, s.Args, f.args)
		if _, object := c.schema[bareType(f.typ)]; object != (len(s.Fields) > 0) {
			c.Errorf("%s.%s is %s and has %d selections", on, s.Name, f.typ, len(s.Fields))
		}
		c.selections(bareType(f.typ), s.Fields)
	}
}

func (c checked) arguments(where string, given map[string]any, known map[string]string) {
	for name, typ := range known {
		if _, there := given[name]; strings.HasSuffix(typ, "!") && !there {
			c.Errorf("%s needs %s", where, name)
		}
	}
	for name, v := range given {
		typ, is := known[name]
		switch x := v.(type) {
		case gql.Variable:
			if have := c.vars[string(x)]; strings.TrimSuffix(have, "!") != strings.TrimSuffix(typ, "!") || strings.HasSuffix(typ, "!") && !strings.HasSuffix(have, "!") {
				c.Errorf("%s: $%s is %s, want %s", where, x, have, typ)
			}
		case map[string]any:
			fields := map[string]string{}
			for k, f := range c.schema[bareType(typ)] {
				fields[k] = f.typ
			}
			c.arguments(where+"."+name, x, fields)
		}
		if !is {
			c.Errorf("%s has no argument %s", where, name)
		}
	}
}

func TestQueriesFitTheSchema(t *testing.T) {
	schema := readSchema(t)
	for _, query := range []string{queryWho, queryTeams, queryIssue, queryLast, queryNewest, queryLinked, queryComments, createComment, updateComment, createLink} {
		doc, err := gql.Parse(query)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		c := checked{t, schema, doc, map[string]string{}}
		for _, v := range variables.FindAllStringSubmatch(query, -1) {
			c.vars[v[1]] = v[2]
		}
		root := map[string]string{"query": "Query", "mutation": "Mutation"}[doc.Operations[0].Kind]
		c.selections(root, doc.Operations[0].Fields)
	}
	for _, c := range []struct {
		input  string
		fields []string
	}{{"CommentCreateInput", []string{"issueId", "body"}}, {"CommentUpdateInput", []string{"body"}}, {"AttachmentCreateInput", []string{"issueId", "title", "url"}}} {
		for _, name := range c.fields {
			if _, known := schema[c.input][name]; !known {
				t.Errorf("%s has no %s", c.input, name)
			}
		}
		for name, f := range schema[c.input] {
			if strings.HasSuffix(f.typ, "!") && !strings.Contains(strings.Join(c.fields, " "), name) {
				t.Errorf("%s needs %s", c.input, name)
			}
		}
	}
}
