package httpapi

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/errs"
)

// Description is the description as a value, for tests.
func Description() (*huma.OpenAPI, error) { return describeRoutes() }

// Checker returns what finds the wrong fields of a decoded body of type T, as
// it is done with every request.
func Checker[T any]() func(v any) []errs.Field {
	configureHuma()
	registry := huma.NewMapRegistry(schemas, huma.DefaultSchemaNamer)
	root := registry.Schema(reflect.TypeFor[T](), true, "")
	return func(v any) (out []errs.Field) {
		var res huma.ValidateResult
		huma.Validate(registry, root, huma.NewPathBuffer([]byte("body"), 4), huma.ModeWriteToServer, v, &res)
		for _, d := range explainDetails(registry, root, res.Errors) {
			if f, ok := wrongField(d); ok {
				out = append(out, f)
			}
		}
		return out
	}
}

// Bounds of questions to other servers.
const (
	QuestionsOfOne = questionsOfOne
)

// Questions are the places of questions to other servers, and take is how a request takes one.
func Questions(of, all int) (take func(who string) (ask func() error, done func())) {
	s := &server{questions: &questionShares{each: of, all: all, by: map[string]int{}}}
	return s.questionGate
}
