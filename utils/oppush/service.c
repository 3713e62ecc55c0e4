// SPDX-License-Identifier: GPL-2.0-or-later
/* The work of oppush: see service.h. */
#include "service.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "libop/base/memory.h"
#include "metrics.h"
#include "sender.h"

/* Between two looks for closed sessions. */
#define LOOK_SECONDS 10

struct service {
	const struct request *request;
	struct utsname machine;
	struct sender *senders;
	size_t n;
	bool has_told_metrics; /* that they cannot be written */
	sigset_t signals;
};

/* Return: whether a signal came that ends it. */
static bool wait_seconds(const struct service *service, time_t seconds)
{
	const struct timespec time = {.tv_sec = seconds};

	return sigtimedwait(&service->signals, NULL, &time) > 0;
}

/* That they cannot be written is said once, until they can. */
static void write_metrics(struct service *service)
{
	struct op_error why;

	if (!service->request->metrics)
		return;
	if (!metrics_write(service->request->metrics, service->senders, service->n, &why)) {
		service->has_told_metrics = false;
		return;
	}
	if (!service->has_told_metrics)
		op_warn("%s", why.text);
	service->has_told_metrics = true;
}

static int take_all(struct service *service, struct op_error *error)
{
	for (size_t i = 0; i < service->n; i++)
		if (sender_take(&service->senders[i], error))
			return -1;
	return 0;
}

/* The first error is that of the service, others are said. */
static int send_once(struct service *service, struct op_error *error)
{
	size_t n_unreadable = 0;
	int result = 0;

	for (size_t i = 0; i < service->n; i++) {
		struct sender *sender = &service->senders[i];
		struct op_error why;

		n_unreadable += sender->spool.n_failures;
		if (!sender_send(sender, &why))
			continue;
		if (result)
			op_complain("%s", why.text);
		else
			result = op_error_set(error, why.code, "%s", why.text);
	}
	if (!result && n_unreadable)
		result = op_error_set(error, EIO, "%zu sessions could not be read", n_unreadable);
	return result;
}

static int run_once(struct service *service, struct op_error *error)
{
	int result = take_all(service, error) ? -1 : send_once(service, error);

	write_metrics(service);
	return result;
}

static int start_all(struct service *service, struct op_error *error)
{
	for (size_t i = 0; i < service->n; i++)
		if (sender_start(&service->senders[i], error))
			return -1;
	return 0;
}

static void stop_all(struct service *service)
{
	for (size_t i = 0; i < service->n; i++)
		sender_stop(&service->senders[i]);
	for (size_t i = 0; i < service->n; i++)
		sender_join(&service->senders[i]);
}

/* Sessions are taken whether servers work or not: their images may go. */
static int run_on(struct service *service, struct op_error *error)
{
	int result = start_all(service, error);

	while (!result) {
		result = take_all(service, error);
		write_metrics(service);
		if (result || wait_seconds(service, LOOK_SECONDS))
			break;
	}
	stop_all(service);
	write_metrics(service);
	return result;
}

static struct sender *find_twin(const struct service *service, const struct destination *of)
{
	for (size_t i = 0; i < service->n; i++)
		if (!strcmp(destination_format(service->senders[i].destination),
			    destination_format(of)))
			return &service->senders[i];
	return NULL;
}

static int open_all(struct service *service, struct op_error *error)
{
	const struct destinations *destinations = &service->request->destinations;
	const struct push_names names = {service->request->service, service->machine.nodename,
					 &service->request->labels};
	int result = 0;

	service->senders = op_alloc(destinations->count, sizeof(*service->senders));
	for (size_t i = 0; !result && i < destinations->count; i++) {
		const struct destination *destination = &destinations->item[i];
		struct sender *twin = find_twin(service, destination);

		result = sender_open(&service->senders[service->n++], service->request, destination,
				     &names, twin, error);
	}
	return result;
}

int service_run(const struct request *request, struct op_error *error)
{
	struct service service = {.request = request};
	int result;

	uname(&service.machine);
	signal(SIGPIPE, SIG_IGN); /* a connection that breaks is an error of its own */
	result = open_all(&service, error);
	sigemptyset(&service.signals);
	sigaddset(&service.signals, SIGTERM);
	sigaddset(&service.signals, SIGINT);
	if (!result && !request->once) {
		sigprocmask(SIG_BLOCK, &service.signals, NULL);
		result = run_on(&service, error);
	} else if (!result) {
		result = run_once(&service, error);
	}
	for (size_t i = 0; i < service.n; i++)
		sender_close(&service.senders[i]);
	free(service.senders);
	return result;
}
