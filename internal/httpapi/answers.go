package httpapi

// Read wraps a read-only answer.
type Read[T any] struct{ Body T }

// read wraps a feature's result as a [Read].
func read[T any](v T, err error) (*Read[T], error) {
	if err != nil {
		return nil, err
	}
	return &Read[T]{v}, nil
}

// shown wraps a feature's result as a [Shown] with its ETag.
func shown[T any](v T, version int64, err error) (*Shown[T], error) {
	if err != nil {
		return nil, err
	}
	return &Shown[T]{ETag: etag(version), Body: v}, nil
}
