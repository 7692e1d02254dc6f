package demo

import "strings"

func pagination() PullRequest {
	return PullRequest{
		Title: "Pages for the list of orders", Branch: "shop-12-orders-pagination", Author: Author, Labels: []string{"backend"},
		Body: "Customers with many orders wait long for the list. It now comes in pages of 20, at most 100.\n\n" +
			"- `GET /customers/{id}/orders?page=2&pageSize=50`\n- the answer names the customer's currency, so that the page need not ask " +
			"again\n\nTests cover the first page and a page behind the end.",
		Synopsis: "Returns the list of orders in pages of 20 and adds the currency of the customer to the answer.",
		Message:  "Pages for the list of orders\n\nThe answer also names the currency of the customer.", Files: readFiles("pagination.txtar"),
		PlantedBugs: []Bug{
			{Path: "internal/order/page.go", StartLineText: "\tif end >= len(orders) {", LineText: "\t\tend = len(orders) - 1",
				Severity: "high", Category: "bug",
				Title: "The last order of the last page is dropped",
				Explanation: "`orders[start:end]` already excludes `end`, so on the last page `end` must be `len(orders)`. With `len(orders) " +
					"- 1` the oldest order is never shown: " +
					"three orders give a page of two, and a customer with a single order gets an empty page although `total` says 1.",
				Suggestion: "\tif end > len(orders) {\n\t\tend = len(orders)"},
			{Path: "internal/order/handler.go", LineText: "\tbuyer, _ := h.customers.Find(r.Context(), id)", Severity: "critical", Category: "bug",
				Title: "An unknown customer crashes the request",
				Explanation: "`Find` returns `nil` and `ErrNotFound` for an unknown id. The error is thrown away, and `buyer.Currency` below " +
					"dereferences the nil pointer: " +
					"any request for a customer that does not exist panics instead of answering 404.",
				Suggestion: "\tbuyer, err := h.customers.Find(r.Context(), id)\n\tif err != nil {\n\t\thttp.Error(w, \"customer not found\", " +
					"http.StatusNotFound)\n\t\treturn\n\t}"},
		},
	}
}

func archive() PullRequest {
	files := readFiles("archive.txtar")
	id, secret := fakeCredentials()
	const path = "scripts/archive.ts"
	files[path] = strings.NewReplacer("@@ACCESS_KEY_ID@@", id, "@@SECRET_ACCESS_KEY@@", secret).Replace(files[path])
	return PullRequest{
		Title: "Archive invoices every night", Branch: "invoice-archive", Author: Author, Labels: []string{"scripts"},
		Body:     "The nightly job uploads the invoices of the day to the archive bucket and logs how many arrived.",
		Synopsis: "Adds a nightly job that uploads the invoices of the day to the archive bucket and counts them.",
		Message:  "Archive invoices every night", Files: files,
		PlantedSecrets: []Secret{
			{Path: path, LineText: `  accessKeyId: "` + id + `",`, Kind: "access key id of a cloud account",
				Without: `  accessKeyId: process.env.ARCHIVE_ACCESS_KEY_ID,`},
			{Path: path, LineText: `  secretAccessKey: "` + secret + `",`, Kind: "secret access key of a cloud account",
				Without: `  secretAccessKey: process.env.ARCHIVE_SECRET_ACCESS_KEY,`},
		},
		PlantedBugs: []Bug{
			{Path: path, StartLineText: "  invoices.forEach(async (invoice) => {", LineText: "  });", Severity: "high", Category: "bug",
				Title: "The uploads are not awaited",
				Explanation: "`forEach` ignores the promises that its async callback returns, so `archiveInvoices` returns before any upload " +
					"has finished: the count is always 0, " +
					"a failed upload is an unhandled rejection that ends the job, and the process may exit with uploads under way.",
				Suggestion: "  for (const invoice of invoices) {\n    await bucket.put(archiveKey(invoice), invoice.pdf);\n    uploaded += 1;\n  }"},
		},
	}
}

func quantity() PullRequest {
	return PullRequest{
		Title: "Refuse quantities below 1", Branch: "cart-quantity", Author: Author, Labels: []string{"backend"},
		Body:     "A quantity of -1 lowered the total of a cart. Quantities below 1 are refused now, and so is a sum above the maximum.",
		Synopsis: "Refuses quantities below 1 in a cart, and sums above the maximum.",
		Message:  "Refuse quantities below 1", Files: readFiles("quantity.txtar"),
	}
}

func retry() PullRequest {
	return PullRequest{
		Title: "Try payouts again", Branch: "payout-retry", Author: Author, Labels: []string{"backend"},
		Body:     "The bank does not answer now and then. A payout is tried three times before it fails.",
		Synopsis: "Tries a payout three times, with a pause between the attempts, before it fails.",
		Message:  "Try payouts again", Files: readFiles("retry.txtar"),
		PlantedBugs: []Bug{
			{Path: "internal/payout/payout.go", StartLineText: "\tfor range attempts {",
				LineText: "\t\tif err = p.bank.Send(ctx, p.newKey(), account, cents); err == nil {", Severity: "critical", Category: "bug",
				Title: "A payout can be sent twice",
				Explanation: "Every attempt takes a new key, so that the bank cannot tell the second attempt from a second payout: when the " +
					"answer to the first one is lost after the money has gone, " +
					"the merchant is paid again. All attempts of a payout need the same key.",
				Question: &Question{Tool: "find_service", Arguments: `{"name":"bank"}`, Contains: "after the money is sent",
					Adds: "The team's service catalogue says that this happens: about one answer in 2,000 of the bank is lost after the money is sent."},
				Suggestion: "\tkey := p.newKey()\n\tfor range attempts {\n\t\tif err = p.bank.Send(ctx, key, account, cents); err == nil {"},
			{Path: "internal/payout/payout.go", LineText: "\t\ttime.Sleep(pause)", Severity: "medium", Category: "bug",
				Title: "The pause between attempts cannot be ended",
				Explanation: "`time.Sleep` does not look at the context: a caller that has given up, or a service that stops, waits to the " +
					"end of every pause all the same, also after the last attempt.",
				Suggestion: "\t\tselect {\n\t\tcase <-ctx.Done():\n\t\t\treturn ctx.Err()\n\t\tcase <-time.After(pause):\n\t\t}"},
		},
	}
}
