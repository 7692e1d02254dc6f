package model

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"unicode"
)

// embedding is an embedding call.
type embedding struct {
	request
	texts []string
	size  int
	titan bool
}

// Bounds of CreateEmbeddingRequest (OpenAI REST description), and the default sizes.
const (
	maxInputs   = 2048
	openAISize  = 1536
	mistralSize = 1024 // mistral-embed
)

// parseEmbedding parses an embedding call: CreateEmbeddingRequest, Mistral's EmbeddingRequest, or the body of
// Titan Text Embeddings V2 (Amazon Bedrock user guide).
func parseEmbedding(d dialect, r *http.Request, body []byte) (*embedding, *apiError) {
	chat, isChat := d.(chatDialect)
	switch {
	case !isChat:
		return titanEmbedding(r, body)
	case chat.mistral:
		return mistralEmbedding(body)
	}
	var in struct {
		Input      json.RawMessage `json:"input"`
		Model      string          `json:"model"`
		Format     string          `json:"encoding_format"`
		Dimensions *int            `json:"dimensions"`
		User       any             `json:"user"`
	}
	unknown, err := decodeStrictly(body, &in)
	q := &embedding{request: request{Model: in.Model}, size: openAISize}
	switch {
	case unknown != "":
		return q, &apiError{http.StatusBadRequest, "Unrecognized request argument supplied: " + unknown, "invalid_request_error", "", ""}
	case err != nil:
		return q, invalid("", "We could not parse the JSON body of your request.")
	case in.Model == "":
		return q, invalid("model", "you must provide a model parameter")
	case in.Format != "" && in.Format != "float":
		return q, invalid("encoding_format", "This simulator writes floats only.")
	case in.Dimensions != nil && *in.Dimensions < 1:
		return q, invalid("dimensions", "Invalid 'dimensions': integer below minimum value. Expected a value >= 1.")
	case in.Dimensions != nil && *in.Dimensions > 3072:
		return q, invalid("dimensions", "Invalid value for 'dimensions': it must be at most 3072.")
	case in.Dimensions != nil:
		q.size = *in.Dimensions
	}
	if !q.read(in.Input) {
		return q, invalid("input", "'$.input' is invalid. It must be a text or an array of 1 to 2048 texts, none of them empty.")
	}
	return q, nil
}

func mistralEmbedding(body []byte) (*embedding, *apiError) {
	var in struct {
		Input    json.RawMessage `json:"input"`
		Model    string          `json:"model"`
		Metadata any             `json:"metadata"`
		Size     *int            `json:"output_dimension"`
		DType    any             `json:"output_dtype"`
		Format   any             `json:"encoding_format"`
	}
	unknown, err := decodeStrictly(body, &in)
	q := &embedding{request: request{Model: in.Model}, size: mistralSize}
	switch {
	case unknown != "":
		return q, forbidden(unknown)
	case err != nil || in.Model == "":
		return q, &apiError{http.StatusUnprocessableEntity, "Field required", "missing", "model", ""}
	case in.Size != nil && (*in.Size < 1 || *in.Size > 3072):
		return q, &apiError{http.StatusBadRequest, "Requested output_dimension is not supported by this model.", "invalid_request_error",
			"output_dimension", ""}
	case in.Size != nil:
		q.size = *in.Size
	}
	if !q.read(in.Input) {
		return q, &apiError{http.StatusUnprocessableEntity, "Input should be a valid string or list", "string_type", "input", ""}
	}
	return q, nil
}

func titanEmbedding(r *http.Request, body []byte) (*embedding, *apiError) {
	var in struct {
		Text       string `json:"inputText"`
		Dimensions *int   `json:"dimensions"`
		Normalize  *bool  `json:"normalize"`
		Types      any    `json:"embeddingTypes"`
	}
	unknown, err := decodeStrictly(body, &in)
	q := &embedding{request: request{Model: r.PathValue("id")}, texts: []string{in.Text}, size: 1024, titan: true}
	if in.Dimensions != nil {
		q.size = *in.Dimensions
	}
	switch {
	case !strings.Contains(q.Model, "titan-embed-text-v2"):
		return q, validation("This simulator invokes Titan Text Embeddings V2 only.")
	case unknown != "":
		return q, validation("Malformed input request: #: extraneous key [" + unknown +
			"] is not permitted, please reformat your input and try again.")
	case err != nil:
		return q, validation("Malformed input request, please reformat your input and try again.")
	case in.Text == "":
		return q, validation("Malformed input request: expected minLength: 1, actual: 0, please reformat your input and try again.")
	case !slices.Contains([]int{256, 512, 1024}, q.size):
		return q, validation(fmt.Sprintf("Malformed input request: #/dimensions: %d is not a valid enum value, please reformat your "+
			"input and try again.", q.size))
	}
	return q, nil
}

// read parses a text or a list of texts.
func (q *embedding) read(raw json.RawMessage) bool {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		q.texts = []string{one}
	} else if json.Unmarshal(raw, &q.texts) != nil {
		return false
	}
	return len(q.texts) > 0 && len(q.texts) <= maxInputs && !slices.Contains(q.texts, "")
}

// vectors answers a call. A fault may make the vectors longer than requested, or drop one.
func (q *embedding) vectors(f *fault) *answer {
	size, texts := q.size, q.texts
	if f != nil && f.Action == WrongSize {
		if size = f.SizeBytes; size == 0 {
			size = q.size + 1
		}
	}
	if f != nil && f.Action == WrongCount {
		texts = texts[1:]
	}
	var sum int64
	for _, t := range q.texts {
		sum += tokens(len(t))
	}
	if q.titan {
		out := obj{"inputTextTokenCount": sum}
		for _, t := range texts {
			v := vector(t, size)
			out["embedding"], out["embeddingsByType"] = v, obj{"float": v}
		}
		return jsonAnswer(http.StatusOK, out)
	}
	data := []obj{}
	for i, t := range texts {
		data = append(data, obj{"object": "embedding", "index": i, "embedding": vector(t, size)})
	}
	return jsonAnswer(http.StatusOK, obj{"object": "list", "model": q.Model, "data": data,
		"usage": obj{"prompt_tokens": sum, "total_tokens": sum}})
}

// vector hashes the words of a text into a unit vector. Texts with common words are near each other.
func vector(text string, size int) []float32 {
	sums := make([]float64, size)
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, w := range append(words, text) {
		hash := sha256.Sum256([]byte(w))
		sign := 1 - 2*float64(hash[31]&1)
		sums[binary.BigEndian.Uint64(hash[:8])%uint64(size)] += sign //nolint:gosec // size is positive
	}
	length := 0.0
	for _, s := range sums {
		length += s * s
	}
	out := make([]float32, size)
	for i, s := range sums {
		out[i] = float32(s / math.Sqrt(max(length, 1e-12)))
	}
	return out
}
