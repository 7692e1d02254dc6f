package httpapi

import "github.com/danielgtaylor/huma/v2"

// Description is the live description as a value, for tests.
func Description() (*huma.OpenAPI, error) {
	s, err := build(Options{BaseURL: "http://localhost"})
	if err != nil {
		return nil, err
	}
	return s.description, nil
}
