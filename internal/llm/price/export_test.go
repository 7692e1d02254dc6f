package price

// Each calls f with every embedded price, in no order.
func (t *Table) Each(f func(provider, model string, p Price)) {
	for provider, models := range t.embedded {
		for model, p := range models {
			f(provider, model, p)
		}
	}
}
