package llmtest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/llm"
)

// size is a vector size that every provider supports.
const size = 1024

func texts() llm.EmbedRequest {
	return llm.EmbedRequest{Model: "amazon.titan-embed-text-v2:0", Texts: []string{"func main", "a <b> & c"}, Size: size}
}

// vectors runs the part of the suite for clients that are an [llm.Embedder].
func vectors(t *testing.T, h Harness) {
	open := func(t *testing.T, s Scenario) llm.Embedder {
		t.Helper()
		e, ok := h.Client(t, s).(llm.Embedder)
		if !ok {
			t.Fatal("the client is not an Embedder")
		}
		return e
	}
	if why, ok := h.Without[Vectors]; ok {
		if _, is := h.Client(t, Embeddings).(llm.Embedder); is {
			t.Error("the client is an Embedder; it should have none: " + why)
		}
		return
	}
	t.Run("size and order", func(t *testing.T) {
		t.Parallel()
		e, in := open(t, Embeddings), texts()
		out, err := e.Embed(t.Context(), in)
		if err != nil || len(out.Vectors) != 2 || len(out.Vectors[0]) != size || len(out.Vectors[1]) != size ||
			out.Usage.InputTokens <= 0 || out.Usage.OutputTokens != 0 || out.RequestID == "" {
			t.Fatalf("%d vectors, usage %+v, request %q, %v", len(out.Vectors), out.Usage, out.RequestID, err)
		}
		slices.Reverse(in.Texts)
		again, err := e.Embed(t.Context(), in)
		if err != nil || !slices.Equal(again.Vectors[0], out.Vectors[1]) || !slices.Equal(again.Vectors[1], out.Vectors[0]) ||
			slices.Equal(out.Vectors[0], out.Vectors[1]) {
			t.Errorf("the vectors do not follow the order of the texts: %v", err)
		}
	})
	t.Run("many", func(t *testing.T) {
		t.Parallel()
		in := texts()
		in.Texts = slices.Repeat([]string{"x"}, 128)
		if out, err := open(t, Embeddings).Embed(t.Context(), in); err != nil || len(out.Vectors) != 128 {
			t.Errorf("%d vectors, %v", len(out.Vectors), err)
		}
	})
	for s, want := range map[Scenario]failure{
		OtherVectors:   {class: llm.ClassInvalidResponse, says: "1024"},
		FewVectors:     {class: llm.ClassInvalidResponse},
		WrongKey:       {class: llm.ClassCredential},
		Quota:          {class: llm.ClassQuota},
		RateLimited:    {class: llm.ClassRetryable, after: 7 * time.Second},
		Overloaded:     {class: llm.ClassRetryable},
		Refused:        {class: llm.ClassRetryable},
		BrokenBody:     {class: llm.ClassRetryable},
		TooLarge:       {class: llm.ClassInvalidResponse},
		NotAnAnswer:    {class: llm.ClassInvalidResponse},
		Redirected:     {class: llm.ClassFinal},
		HostileMessage: {class: llm.ClassFinal},
	} {
		t.Run(string(s), func(t *testing.T) {
			t.Parallel()
			out, err := open(t, s).Embed(t.Context(), texts())
			check(t, err, want)
			if out.Vectors != nil {
				t.Error("vectors came with the error")
			}
			if s == OtherVectors && out.Usage.InputTokens <= 0 {
				t.Errorf("the usage of an answer that cannot be used is %+v", out.Usage)
			}
		})
	}
	t.Run(string(HungBody), func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := open(t, HungBody).Embed(ctx, texts()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want the context's", err)
		}
	})
	for name, change := range map[string]func(*llm.EmbedRequest){
		"no model":       func(r *llm.EmbedRequest) { r.Model = "" },
		"no text":        func(r *llm.EmbedRequest) { r.Texts = nil },
		"empty text":     func(r *llm.EmbedRequest) { r.Texts[1] = " \n" },
		"too many texts": func(r *llm.EmbedRequest) { r.Texts = strings.Fields(strings.Repeat("x ", 129)) },
		"no size":        func(r *llm.EmbedRequest) { r.Size = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := texts()
			change(&in)
			_, err := open(t, Embeddings).Embed(t.Context(), in)
			check(t, err, failure{class: llm.ClassFinal, says: "not sent"})
		})
	}
}
