package httpapi

// Read wraps what can only be read.
type Read[T any] struct{ Body T }

// read answers with what a feature returned.
func read[T any](v T, err error) (*Read[T], error) {
	if err != nil {
		return nil, err
	}
	return &Read[T]{v}, nil
}

// shown answers with a resource that can be changed.
func shown[T any](v T, version int64, err error) (*Shown[T], error) {
	if err != nil {
		return nil, err
	}
	return &Shown[T]{ETag: etag(version), Body: v}, nil
}
