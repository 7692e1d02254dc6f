package check

import (
	"go/ast"
	"reflect"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/wording"
)

var (
	tagValue = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	tagKey   = regexp.MustCompile(`(?:^|[^\w-])(json|xml|yaml|toml|bson|db|mapstructure|validate|form|query)\s*:`)
)

// maxGoTag bounds the bytes of a tag that is read.
const maxGoTag = 4 << 10

// tags reports tags of a struct that package reflect does not find, and fields that have one name in JSON. Tests have such tags on purpose.
func (r *goReading) tags(s *ast.StructType) {
	if r.isTest {
		return
	}
	names := map[string]ast.Node{}
	for _, f := range s.Fields.List {
		if f.Tag == nil {
			continue
		}
		tag, err := strconv.Unquote(f.Tag.Value)
		if err != nil || len(tag) > maxGoTag {
			continue
		}
		seen := map[string]bool{}
		for _, m := range tagKey.FindAllStringSubmatch(tagValue.ReplaceAllString(tag, `""`), -1) {
			if _, found := reflect.StructTag(tag).Lookup(m[1]); !found || seen[m[1]] {
				r.add(f, "assay/go-struct-tag", domain.Medium, wording.SayGoTag, m[1])
				break
			}
			seen[m[1]] = true
		}
		name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		if name == "" || name == "-" || len(f.Names) != 1 || !f.Names[0].IsExported() {
			continue
		}
		if names[name] != nil {
			r.addFor(f, []ast.Node{names[name]}, "assay/go-struct-tag", "name "+name, domain.Medium, wording.SayGoName,
				visible(clip.Runes(name, 80, "…")))
		}
		names[name] = f
	}
}
