package simtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// Smithy checks the names of members against a Smithy model of AWS and the wire examples of the SDK, which are
// newer.
type Smithy struct {
	shapes map[string]shape
	spaces string
}

type shape struct {
	Type    string            `json:"type"`
	Members map[string]target `json:"members"`
	Member  target            `json:"member"`
}

type target struct {
	Target string `json:"target"`
}

// Bedrock reads the model of the Bedrock Runtime.
func Bedrock(t *testing.T) Smithy {
	t.Helper()
	var in struct {
		Shapes map[string]shape `json:"shapes"`
	}
	if err := json.Unmarshal(testkit.Contract(t, "bedrock/smithy-bedrock-runtime-2023-09-30.json"), &in); err != nil {
		t.Fatal(err)
	}
	return Smithy{in.Shapes, "com.amazonaws.bedrockruntime#"}
}

// Snapshot returns the body of a wire example of the SDK, as JSON.
func Snapshot(t *testing.T, name string) string {
	t.Helper()
	raw := string(testkit.Contract(t, "bedrock/snapshots/"+name))
	_, body, ok := strings.Cut(strings.ReplaceAll(raw, "\r\n", "\n"), "\n\n")
	if !ok {
		t.Fatal("the example has no body")
	}
	if i := strings.Index(body, "\n\n"); strings.HasPrefix(raw, "POST") && i >= 0 {
		body = body[i+2:]
	}
	return strings.TrimSpace(body)
}

// Problem returns an error that names a member of the JSON that neither the shape nor the example has; nil if
// all are known. Cache points are newer than the model (Amazon Bedrock user guide, "Prompt caching").
func (s Smithy) Problem(name, body, example string) error {
	var v, e any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(example), &e); err != nil {
		return err
	}
	return s.walk(s.spaces+name, v, e, name)
}

func (s Smithy) walk(name string, v, example any, at string) error {
	known, modelled := s.shapes[name]
	switch v := v.(type) {
	case []any:
		var first any
		if list, ok := example.([]any); ok && len(list) > 0 {
			first = list[0]
		}
		for i, e := range v {
			if err := s.walk(known.Member.Target, e, first, fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	case map[string]any:
		if known.Type == "document" || name == "smithy.api#Document" || example == "__Document__" {
			return nil
		}
		examples, shown := example.(map[string]any)
		for k, e := range v {
			to, named := known.Members[k]
			_, seen := examples[k]
			switch {
			case k == "cachePoint":
			case !named && !seen && (modelled || shown):
				return fmt.Errorf("%s has no member %q", at, k)
			default:
				if err := s.walk(to.Target, e, examples[k], at+"."+k); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
