package bedrock

import (
	"testing"

	"github.com/assay-dev/assay/internal/llm"
)

// Models without caching refuse cache marks.
func TestOnlyModelsThatCacheGetMarks(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]int{
		"eu.anthropic.claude-sonnet-4-5:0":                              2,
		"us.amazon.nova-pro-v1:0":                                       2,
		"anthropic.claude-3-5-haiku-20241022-v1:0":                      2,
		"anthropic.claude-3-haiku-20240307-v1:0":                        0,
		"anthropic.claude-3-5-sonnet-20240620-v1:0":                     0,
		"mistral.mistral-large-2407-v1:0":                               0,
		"arn:aws:bedrock:eu-west-1:1:application-inference-profile/abc": 0,
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			in := llm.Request{Model: id, CacheKey: "run-1", System: "Be brief.", Messages: []llm.Message{{Role: llm.User, Text: "Code. Question?", Shared: 6}}}
			out, err := encode(in)
			if err != nil {
				t.Fatal(err)
			}
			marks, text := 0, ""
			for _, b := range append(out.System, out.Messages[0].Content...) {
				if b.CachePoint != nil {
					marks++
				} else {
					text += *b.Text
				}
			}
			if marks != want || text != in.System+in.Messages[0].Text {
				t.Errorf("%d marks, want %d: %q", marks, want, text)
			}
		})
	}
}
