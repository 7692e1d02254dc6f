package policy_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

var update = flag.Bool("update", false, "write the generated table")

// described finds how a setting is described as it can be said: the tags of its field.
func described(typ reflect.Type, name string) reflect.StructTag {
	part, rest, nested := strings.Cut(name, ".")
	for f := range typ.Fields() {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case key != part:
		case nested:
			return described(f.Type.Elem(), rest)
		default:
			return f.Tag
		}
	}
	return ""
}

func values(tag reflect.StructTag, fallback string) string {
	switch {
	case tag.Get("enum") != "":
		return "`" + strings.ReplaceAll(tag.Get("enum"), ",", "`, `") + "`"
	case tag.Get("maximum") != "":
		return tag.Get("minimum") + " to " + tag.Get("maximum")
	case tag.Get("maxItems") != "":
		return "at most " + tag.Get("maxItems")
	case fallback == "true", fallback == "false":
		return "`true`, `false`"
	}
	return "text"
}

// TestTableOfSettings keeps the table in docs/policy.md in step with the code.
func TestTableOfSettings(t *testing.T) {
	_, all, err := policy.Resolve(store.PolicySources{})
	testkit.OK(t, err)
	var b strings.Builder
	b.WriteString("\n| setting | values | default | meaning |\n|---|---|---|---|\n")
	for _, s := range all {
		tag := described(reflect.TypeFor[policy.RepositoryPolicyUpdate](), s.Name)
		if tag.Get("doc") == "" {
			t.Errorf("%s is not described", s.Name)
		}
		fmt.Fprintf(&b, "| `%s` | %s | `%s` | %s |\n", s.Name, values(tag, string(s.Default)), s.Default, tag.Get("doc"))
	}
	file := filepath.Join("..", "..", "docs", "policy.md")
	raw, err := os.ReadFile(file)
	testkit.OK(t, err)
	before, rest, _ := strings.Cut(string(raw), "-update` -->\n")
	_, after, found := strings.Cut(rest, "<!-- end of settings -->")
	if !found {
		t.Fatal("docs/policy.md has no place for the table")
	}
	want := before + "-update` -->\n" + b.String() + "\n<!-- end of settings -->" + after
	if *update {
		testkit.OK(t, os.WriteFile(file, []byte(want), 0o644))
	} else if want != string(raw) {
		t.Error("the table of docs/policy.md is not what the code says: run go test ./internal/policy -run Table -update")
	}
}
