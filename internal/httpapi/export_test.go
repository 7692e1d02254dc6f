package httpapi

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/errs"
)

// Description returns the description as a value.
func Description() (*huma.OpenAPI, error) { return describeRoutes() }

// Checker returns a function that finds the wrong fields of a decoded body of type T, as for every request.
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

// QuestionsOfOne is the most questions to servers that one tenant may have under way.
const QuestionsOfOne = questionsOfOne

// Questions returns the function with which a request takes a place for requests to a tenant's servers.
func Questions(of, all int) (take func(who string) (ask func() error, done func())) {
	s := &server{questions: &questionShares{each: of, all: all, by: map[string]int{}}}
	return s.questionGate
}
