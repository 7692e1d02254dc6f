package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
)

// maxTexts bounds the texts of an embedding call (design choice; OpenAI takes 2,048 texts and 300,000 tokens
// per request).
const maxTexts = 128

// numberBytes is the largest size of one number of a vector as text (OpenAI writes each on a line of its own,
// with indentation). If the answer would exceed the size bound, the texts go in several requests.
const numberBytes = 32

// EmbedBody makes the body of an embedding call; it leaves out a size of 0.
type EmbedBody func(in llm.EmbedRequest) any

// OpenAIEmbeddings is CreateEmbeddingRequest of the OpenAI REST description.
func OpenAIEmbeddings(in llm.EmbedRequest) any {
	return struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Dimensions int      `json:"dimensions,omitempty"`
		Format     string   `json:"encoding_format"`
	}{in.Model, in.Texts, in.Size, "float"}
}

// Embed requests vectors from {base}/embeddings and checks them. If the server refuses the member for their
// size, as models with one size do (OpenAI REST description, dimensions), Embed repeats the call without it.
// It checks the size of the vectors in any case.
func (c *Conn) Embed(ctx context.Context, in llm.EmbedRequest, body EmbedBody) (llm.Embeddings, error) {
	if err := CheckEmbed(in); err != nil {
		return llm.Embeddings{}, err
	}
	var all llm.Embeddings
	var vectors [][]float32
	for texts := range slices.Chunk(in.Texts, max(1, int(c.maxBytes/int64(in.Size*numberBytes)))) {
		part := in
		part.Texts = texts
		out, err := c.embed(ctx, part, body)
		all.Usage = all.Usage.Add(out.Usage)
		if err != nil {
			return all, err
		}
		all.Model, all.RequestID, vectors = out.Model, out.RequestID, append(vectors, out.Vectors...)
	}
	all.Vectors = vectors
	return all, nil
}

func (c *Conn) embed(ctx context.Context, in llm.EmbedRequest, body EmbedBody) (llm.Embeddings, error) {
	rep, err := c.Post(ctx, "/embeddings", body(in))
	if err != nil {
		return llm.Embeddings{}, err
	}
	if refusesSize(rep) {
		sizeless := in
		sizeless.Size = 0
		if rep, err = c.Post(ctx, "/embeddings", body(sizeless)); err != nil {
			return llm.Embeddings{}, err
		}
	}
	if !rep.OK() {
		return llm.Embeddings{}, c.Failure(rep, llm.EffortDefault)
	}
	var a struct {
		Model Text `json:"model"`
		Data  []struct {
			Index     *int      `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
		Usage struct {
			Prompt Count `json:"prompt_tokens"`
		} `json:"usage"`
	}
	if json.Unmarshal(rep.Body, &a) != nil {
		return llm.Embeddings{}, rep.Invalid("The answer of the endpoint has not one vector per text.")
	}
	out := llm.Embeddings{Usage: llm.Usage{InputTokens: int64(a.Usage.Prompt)}, Model: llm.SafeMessage(string(a.Model)),
		RequestID: llm.RequestID(rep.Header)}
	if len(a.Data) != len(in.Texts) {
		return out, rep.Invalid("The answer of the endpoint has not one vector per text.")
	}
	vectors := make([][]float32, len(in.Texts))
	for i, d := range a.Data {
		at := i
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= len(vectors) || vectors[at] != nil {
			return out, rep.Invalid("The answer of the endpoint has not one vector per text.")
		}
		vectors[at] = d.Embedding
	}
	if err := CheckVectors(rep, in, vectors); err != nil {
		return out, err
	}
	out.Vectors = vectors
	return out, nil
}

// refusesSize reports whether an answer is about the member for the size.
func refusesSize(rep Reply) bool {
	if rep.Status != http.StatusBadRequest && rep.Status != http.StatusUnprocessableEntity {
		return false
	}
	p := ParseProblem(rep)
	return strings.Contains(strings.ToLower(string(p.Message)+" "+string(p.Param)), "dimension")
}

// CheckEmbed returns a final error for a call that no server can answer.
func CheckEmbed(in llm.EmbedRequest) error {
	bad := func(text string) error {
		return &llm.Error{Class: llm.ClassFinal, ProviderMessage: "The request was not sent: " + text + "."}
	}
	switch {
	case in.Model == "":
		return bad("no model is named")
	case len(in.Texts) == 0 || len(in.Texts) > maxTexts:
		return bad(fmt.Sprintf("it needs 1 to %d texts", maxTexts))
	case in.Size <= 0:
		return bad("the size of the vectors is missing")
	}
	for _, t := range in.Texts {
		if strings.TrimSpace(t) == "" {
			return bad("a text is empty")
		}
	}
	return nil
}

// CheckVectors returns an error if a vector's length differs from the requested size.
func CheckVectors(rep Reply, in llm.EmbedRequest, vectors [][]float32) error {
	for _, v := range vectors {
		if len(v) != in.Size {
			return rep.Invalid(fmt.Sprintf("The model's vectors have %d numbers, and %d are configured.", len(v), in.Size))
		}
	}
	return nil
}
