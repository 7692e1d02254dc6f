package httpapi_test

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/store/storetest"
)

// TestBadQueries sends to every operation of a tenant or the instance every kind of wrong query value that
// follows from its schema. The answer is 422, names the parameter, and does not repeat the value.
func TestBadQueries(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	mine, _ := newEstates(w)
	_, withBody := operations(t)
	tried := 0
	for path, item := range liveDescription(t).Paths {
		if !strings.HasPrefix(path, "/api/") {
			continue
		}
		for method, op := range map[string]*huma.Operation{http.MethodGet: item.Get, http.MethodPost: item.Post} {
			if op == nil || !built(op) || op.Extensions["x-authentication"] == "mcp-token" { // see TestUploadsThatAreRefused
				continue
			}
			body := ""
			if i := slices.IndexFunc(withBody, func(o operation) bool { return o.method == method && o.path == path }); i >= 0 {
				body = mine.body(withBody[i])
			}
			permission, _ := op.Extensions["x-permission"].(string)
			for _, p := range op.Parameters {
				if p.In != "query" || p.Schema == nil {
					continue
				}
				for _, v := range badParameters(p) {
					tried++
					got := w.call(w.allowed(permission), method, mine.path(path)+"?"+url.Values{p.Name: {v}}.Encode(), body)
					if got.status != http.StatusUnprocessableEntity || !slices.Contains(wrongFields(t, got), "query/"+p.Name) {
						t.Errorf("%s %s?%s=%.40s: %d %s", method, path, p.Name, v, got.status, got.body)
					}
					if strings.Contains(got.body, canary) {
						t.Errorf("%s %s?%s: the answer repeats the sent value: %s", method, path, p.Name, got.body)
					}
				}
			}
		}
	}
	if tried < 300 {
		t.Errorf("only %d values were tried", tried)
	}
}

// badParameters returns wrong values for a query parameter.
func badParameters(p *huma.Param) (out []string) {
	s := p.Schema
	if p.Name == "cursor" {
		out = append(out, canary+"!", canary+"."+canary)
	}
	if len(s.Enum) > 0 {
		return append(out, canary)
	}
	switch s.Type {
	case "integer":
		out = append(out, canary, "1.5")
		if s.Minimum != nil {
			out = append(out, strconv.Itoa(int(*s.Minimum)-1))
		}
		if s.Maximum != nil {
			out = append(out, strconv.Itoa(int(*s.Maximum)+1))
		}
	case "boolean":
		out = append(out, canary)
	case "string":
		if s.MaxLength != nil {
			out = append(out, strings.Repeat("x", *s.MaxLength+1))
		}
		if s.Format != "" || p.Name == "from" || p.Name == "to" {
			out = append(out, canary)
		}
	}
	return out
}
